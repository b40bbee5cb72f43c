-- Counts verdicts in the shared dictionary `guard_metrics`, and prints them in the text format of Prometheus. Without
-- this dictionary nothing is counted.
--
--   lua_shared_dict guard_metrics 1m;
--   location = /metrics { content_by_lua_block { require("guard.metrics").print() } }

local held = require("guard.held")

local concat, format, match, sort = table.concat, string.format, string.match, table.sort

local _M = {}

local is_internal = ngx.req.is_internal
local shared = ngx.shared.guard_metrics
local UPGRADES = "upgrades:" -- starts the keys of the other counter
local LABELS = 'verdict="%s",reason="%s",rule="%s",mode="%s",action="%s"'

-- Returns labels. Their values come from the policy and the fixed reasons, never from requests, so their number is
-- bounded.
local function labels_of(policy, verdict)
    local result, action = "allowed", ""
    if verdict.blocked then
        result, action = "blocked", policy.response.mode
    end
    return format(LABELS, result, verdict.reason, verdict.rule or "", policy.mode, action)
end

-- Returns a function that counts a verdict under this policy.
function _M.counter(policy)
    if not shared then
        return function() end
    end
    local labels = {} -- by reason and rule: the texts are formatted once
    return function(verdict)
        if is_internal() then
            return -- nginx runs the rewrite phase again after a redirect such as that of try_files
        end
        local name = verdict.reason .. " " .. (verdict.rule or "")
        local key = labels[name] or labels_of(policy, verdict)
        labels[name] = key
        shared:incr(key, 1, 0)
    end
end

-- Returns a function that counts a request with a protocol that this policy does not allow.
function _M.upgrade_counter(policy)
    local key = UPGRADES .. format('mode="%s"', policy.mode)
    return function()
        if shared and not is_internal() then
            shared:incr(key, 1, 0)
        end
    end
end

local function add_counter(lines, name, help, values)
    lines[#lines + 1] = format("# HELP %s %s", name, help)
    lines[#lines + 1] = format("# TYPE %s counter", name)
    for _, value in ipairs(values) do
        lines[#lines + 1] = format("%s{%s} %.0f", name, value.labels, value.count)
    end
end

function _M.text()
    if not shared then
        error('guard: metrics need the directive "lua_shared_dict guard_metrics 1m" in the http block', 2)
    end
    local keys = shared:get_keys(0)
    sort(keys)
    local lines, verdicts, upgrades = {}, {}, {}
    for _, key in ipairs(keys) do
        local count, labels = shared:get(key) or 0, match(key, "^" .. UPGRADES .. "(.*)")
        local list = labels and upgrades or verdicts
        list[#list + 1] = { labels = labels or key, count = count }
    end
    add_counter(lines, "nginx_guard_verdicts_total", "Verdicts of the guard.", verdicts)
    add_counter(lines, "nginx_guard_upgrades_removed_total",
        "Requests with a protocol that allow_upgrades does not have. Mode detect removes none.", upgrades)
    lines[#lines + 1] = "# HELP nginx_guard_held_requests Requests that response modes hold open now."
    lines[#lines + 1] = "# TYPE nginx_guard_held_requests gauge"
    lines[#lines + 1] = format("nginx_guard_held_requests %.0f", held.total())
    return concat(lines, "\n") .. "\n"
end

-- Responds with the metrics. For content_by_lua_block.
function _M.print()
    ngx.header.content_type = "text/plain; version=0.0.4; charset=utf-8"
    ngx.print(_M.text())
end

return _M
