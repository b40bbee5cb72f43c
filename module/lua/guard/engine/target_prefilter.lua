-- Allows nearly all targets in one pass: paths, keys and values that are plain and that no rule matches.

local ffi = require("ffi")

local exploits = require("guard.engine.exploits")
local is_base64 = require("guard.engine.base64").is_text
local is_script_before = require("guard.engine.path_readings").is_script_before
local plain = require("guard.engine.plain")
local prefilter = require("guard.engine.prefilter")
local value_prefilter = require("guard.engine.value_prefilter")
local limits = require("guard.tables").limits

local byte, sub = string.byte, string.sub
local can_end = plain.can_end
local are_pairs_clean, is_text_clean = value_prefilter.are_pairs_clean, value_prefilter.is_text_clean
local path_bytes, query_pairs = limits.path_bytes, limits.query_pairs
local TEXT_END = prefilter.TEXT_END

local DOT, PARENTHESIS, QUESTION, SLASH = 0x2E, 0x28, 0x3F, 0x2F

-- The ambiguous pairs of plain.lua, and the start of a session of ASP.NET.
local ambiguous = ffi.new("uint8_t[?]", 65536)
ffi.copy(ambiguous, plain.ambiguous, 65536)
ambiguous[SLASH * 256 + PARENTHESIS] = 1

-- 1 for a dot, else 0: a branch would leave the compiled loop.
local is_dot = ffi.new("uint8_t[?]", 256)
is_dot[DOT] = 1

-- Returns the length of the path of a plain target, or nil, and whether the path contains a literal of a rule.
local function read_path(automaton, target)
    local next_state, is_end = automaton.next, automaton.is_end
    local columns, column_of = automaton.columns, automaton.column_of
    local state, previous, at, length, hits, dots = automaton.start, 0, 1, #target, 0, 0
    local stop = column_of[TEXT_END]
    while at <= length do
        local code = byte(target, at)
        if code == QUESTION then
            break
        elseif ambiguous[previous * 256 + code] == 1 then
            return nil
        end
        if code == SLASH then -- the path up to here can be a reading without final slash
            hits = hits + is_end[next_state[state * columns + stop]]
            if dots > 0 and is_script_before(target, at) then
                return nil
            end
        end
        state = next_state[state * columns + column_of[code]]
        hits = hits + is_end[state]
        dots = dots + is_dot[code]
        previous, at = code, at + 1
    end
    hits = hits + is_end[next_state[state * columns + stop]]
    local is_plain = at > 1 and at <= path_bytes + 1 and can_end(previous) and not is_base64(target, at - 1)
    return is_plain and at - 1 or nil, hits > 0
end

-- Whether the query after index `mark` has no more pairs than the limit, and all its values are clean
-- (value_prefilter.lua).
local function is_query_clean(filter, match, target, mark)
    local is_clean, count = are_pairs_clean(filter, match, target, mark + 1)
    return is_clean and count <= query_pairs
end

-- `exploited` has the methods of the rules about exploits. Returns a function of (method, target). It returns true only if a policy that inspects only targets allows the
-- request.
return function(policy, methods, exploited, matchers, filters)
    local path_filter, query_filter = filters.path, filters.query
    local checks_query, has_exploits = policy.check_query, next(exploited) ~= nil
    local whole_query = filters[exploits.WHOLE_QUERY].automaton
    return function(method, target)
        if not (methods[method] or methods["*"]) or byte(target) ~= SLASH then
            return false
        end
        local stop, has_literal = read_path(path_filter.automaton, target)
        if not stop then
            return false
        elseif checks_query and stop < #target
            and not is_query_clean(query_filter, matchers.query, target, stop + 1) then
            return false
        end
        if has_exploits and stop < #target and not exploits.is_query_clean(whole_query, target, stop + 2) then
            return false
        end
        if not has_literal and not path_filter.has_rule_without_literal then
            return true
        end
        local path = sub(target, 1, stop)
        return is_text_clean(matchers.path, path)
    end
end
