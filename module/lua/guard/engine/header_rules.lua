-- The headers that rules have as targets, which are matched verbatim.

local bytes = require("guard.engine.bytes")
local headers = require("guard.engine.headers")
local prefilter = require("guard.engine.prefilter")
local limits = require("guard.tables").limits

local gsub, sub = string.gsub, string.sub
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

-- Returns the first bytes of each line of a header, verbatim.
function _M.lines_of(request_headers, name, pause)
    return lines_of(headers.values_of(request_headers, name, pause))
end

-- Returns the literals of the rules for a target, as they occur anywhere in a text: of those that need a literal in the body
-- too, or of all others.
local function literals_of(rules, target, with_body)
    local lists = {}
    for _, rule in ipairs(rules) do
        if rule.targets[target] and (rule.body_literals ~= nil) == with_body then
            local literals = {}
            for i, literal in ipairs(rule.literals) do
                literals[i] = gsub(literal, "[\1\2]", "")
            end
            lists[#lists + 1] = literals
        end
    end
    return lists
end

-- Returns a filter of the lines of a header. A line without a literal in `automaton` matches only rules that need a literal in
-- the body too, and without one in `body_automaton` no such rule.
function _M.new_filter(rules, target)
    local _, automaton, always = prefilter.new(literals_of(rules, target, false))
    local with_body = literals_of(rules, target, true)
    local _, body_automaton, always_with_body = prefilter.new(with_body)
    return {
        automaton = automaton,
        body_automaton = with_body[1] and body_automaton,
        has_rule_without_literal = #always + #always_with_body > 0,
    }
end

-- Inspects the headers of `targets`.
function _M.inspect(targets, request_headers, inspect, pause)
    for _, target in ipairs(targets) do
        local lines, limit = _M.lines_of(request_headers, sub(target, #PREFIX + 1), pause)
        local verdict = inspect(target, target, lines, limit)
        if verdict then
            return verdict
        end
    end
end

return _M
