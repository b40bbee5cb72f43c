-- The headers of custom rules, which are matched verbatim.

local bytes = require("guard.engine.bytes")
local headers = require("guard.engine.headers")
local limits = require("guard.tables").limits

local sub = string.sub
local PREFIX = "header:"

local _M = {}

-- Whether a target of a rule is a header.
function _M.is_target(target)
    return sub(target, 1, #PREFIX) == PREFIX
end

-- Returns the headers of rules, each once.
function _M.targets_of(rules)
    local targets, is_known = {}, {}
    for _, rule in ipairs(rules) do
        for _, target in ipairs(rule.listed or {}) do
            if _M.is_target(target) and not is_known[target] then
                is_known[target] = true
                targets[#targets + 1] = target
            end
        end
    end
    return targets
end

-- Returns the first bytes of each line. A crowd of lines reaches a limit, because it could hide one of them.
local function lines_of(values)
    local lines = {}
    for _, value in ipairs(values) do
        if value ~= "" then
            if #lines == limits.query_pairs then
                return lines, "limit_query_pairs"
            end
            lines[#lines + 1] = bytes.escape(sub(value, 1, limits.header_bytes))
        end
    end
    return lines
end

-- Inspects the headers of `targets`.
function _M.inspect(targets, request_headers, inspect, pause)
    for _, target in ipairs(targets) do
        local lines, limit = lines_of(headers.values_of(request_headers, sub(target, #PREFIX + 1), pause))
        local verdict = inspect(target, target, lines, limit)
        if verdict then
            return verdict
        end
    end
end

return _M
