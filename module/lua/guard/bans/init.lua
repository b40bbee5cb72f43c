-- Recognizes requests of banned clients.

local lists = require("guard.bans.list")
local new_matcher = require("guard.bans.matcher")
local requests = require("guard.request")
local limits = require("guard.tables").limits
local hold = require("guard.respond.hold")
local policy_tables = require("guard.policy.tables")

local time, var = ngx.time, ngx.var

local _M = {}

local by_path = {}

local function report(message)
    ngx.log(ngx.ERR, message)
end

local function pause()
    hold.sleep(0)
end

-- Looks at the file regularly in this worker. The first request of an idle worker may find an old table.
local function follow(list)
    list.is_followed = true
    if lists.is_stale(list, time()) then
        lists.look(list, time())
    end
    local ok, err = ngx.timer.every(limits.ban_list_look_seconds, function(is_ending)
        if not is_ending then
            lists.look(list, time(), pause)
        end
    end)
    if not ok then
        list.is_followed = false
        list.report("guard: the ban list is not read again: " .. err)
    end
end

local function list_at(path)
    by_path[path] = by_path[path] or lists.open(path, time(), report)
    return by_path[path]
end

-- Returns a function that reports whether the client of the current request is banned. Returns nil for a policy without a
-- ban list.
function _M.new(policy, compiled)
    if not policy.enabled or not policy.ban_list then
        return nil
    end
    local list, is_banned = list_at(policy.ban_list.file), new_matcher(compiled)
    local reads_forwarded = compiled.trusted_proxies[1] ~= nil
    local function current_request()
        return requests.new(requests.line())
    end
    return function()
        if not list.is_followed then
            follow(list)
        end
        local table = list.table
        return table and table.count > 0
            and is_banned(table, time, requests.peer(), reads_forwarded and var.http_x_forwarded_for or nil, current_request)
    end
end

-- Returns the policy with the response to a banned client. A solved captcha does not lift a ban, so the response of mode
-- text replaces that of mode captcha.
function _M.response_policy(policy)
    if policy.ban_list.response then
        return setmetatable({ response = policy.ban_list.response }, { __index = policy })
    elseif policy.response.mode ~= "captcha" then
        return policy
    end
    local text = policy_tables.modes.text
    local response = setmetatable(
        { mode = "text", status_code = text.status_code, content_type = text.content_type, body = false, captcha = false },
        { __index = policy.response })
    return setmetatable({ response = response }, { __index = policy })
end

return _M
