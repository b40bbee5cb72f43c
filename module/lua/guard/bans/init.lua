-- Recognizes requests of banned clients.

local client_address = require("guard.engine.client_address")
local lists = require("guard.bans.list")
local requests = require("guard.request")
local limits = require("guard.tables").limits
local hold = require("guard.respond.hold")
local policy_tables = require("guard.policy.tables")

local concat, format = table.concat, string.format
local time, var = ngx.time, ngx.var

local _M = {}

local MAPPED = "00000000000000000000ffff" -- ::ffff:0:0/96

-- Returns an address as the digits of a ban list.
local function digits_of(client)
    local digits = {}
    for i = 1, #client do
        digits[i] = format("%02x", client[i])
    end
    return (#client == 4 and MAPPED or "") .. concat(digits)
end

local ALL_CLIENTS = 1024 -- clients whose digits are kept: about 200 KB
local LONGEST_FORWARDED = 64 -- bytes of an X-Forwarded-For whose client is kept

-- Returns a function that returns the digits of the client of the current request, or nil.
local function new_client_digits(trusted)
    local kept, count = {}, 0
    local function find(peer, forwarded)
        local headers = forwarded and { { "x-forwarded-for", forwarded } } or {}
        local client = client_address.find({ ip = peer, headers = headers }, trusted)
        return client and digits_of(client)
    end
    return function()
        local peer, forwarded = requests.peer(), trusted[1] and var.http_x_forwarded_for or nil
        if not peer then
            return nil
        elseif forwarded and #forwarded > LONGEST_FORWARDED then
            return find(peer, forwarded)
        end
        local key = forwarded and peer .. " " .. forwarded or peer
        local digits = kept[key]
        if digits == nil then
            digits = find(peer, forwarded) or false
            if count == ALL_CLIENTS then
                kept, count = {}, 0
            end
            kept[key], count = digits, count + 1
        end
        return digits or nil
    end
end

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
    local list, client_digits = list_at(policy.ban_list.file), new_client_digits(compiled.trusted_proxies)
    local function is_allowed()
        local client = client_address.find(requests.new(requests.line()), compiled.trusted_proxies)
        return client_address.is_within(client, compiled.allowed_ips)
    end
    return function()
        if not list.is_followed then
            follow(list)
        end
        local table = list.table
        local digits = table and table.count > 0 and client_digits()
        return digits and table:has(digits, time()) and not (compiled.allowed_ips[1] and is_allowed())
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
