-- Decides nearly all traffic in one pass over the target, without making anything of it: paths, keys and values that are
-- their own and only candidates, and that no rule matches.

local plain = require("guard.engine.plain")
local prefilter = require("guard.engine.prefilter")
local limits = require("guard.tables").limits

local byte, sub = string.byte, string.sub
local telling, can_end = plain.telling, plain.can_end
local path_bytes, query_bytes, query_pairs = limits.path_bytes, limits.query_bytes, limits.query_pairs
local TEXT_END = prefilter.TEXT_END

local AND, COLON, EQUALS, PLUS, QUESTION = 0x26, 0x3A, 0x3D, 0x2B, 0x3F

-- Where the path of a target ends when it is plain, else nil; and whether it holds a literal of a rule. What may be
-- behind scheme and authority is left to those who read all.
local function read_path(automaton, target)
    local next_state, is_end = automaton.next, automaton.is_end
    local columns, column_of = automaton.columns, automaton.column_of
    local state, previous, at, length, hits = automaton.start, 0, 1, #target, 0
    while at <= length do
        local code = byte(target, at)
        if code == QUESTION then
            break
        elseif code == COLON or telling[previous * 256 + code] == 1 then
            return nil
        end
        state = next_state[state * columns + column_of[code]]
        hits = hits + is_end[state]
        previous, at = code, at + 1
    end
    state = next_state[state * columns + column_of[TEXT_END]]
    local is_plain = at > 1 and at <= path_bytes + 1 and can_end(previous)
    return is_plain and at - 1 or nil, hits + is_end[state] > 0
end

-- Whether the query behind `mark` consists of plain keys and values without a literal of a rule.
local function is_query_clean(automaton, target, mark)
    local next_state, is_end = automaton.next, automaton.is_end
    local columns, column_of = automaton.columns, automaton.column_of
    local stop = column_of[TEXT_END]
    local state, previous, parts, is_value = automaton.start, 0, 1, false
    for at = mark + 1, #target do
        local code = byte(target, at)
        if code == AND or code == EQUALS and not is_value then
            if is_end[next_state[state * columns + stop]] == 1 or not can_end(previous) then
                return false
            end
            is_value = code == EQUALS
            parts = parts + (is_value and 0 or 1)
            state, previous = automaton.start, 0
        elseif code == PLUS or telling[previous * 256 + code] == 1 then
            return false
        else
            state = next_state[state * columns + column_of[code]]
            if is_end[state] == 1 then
                return false
            end
            previous = code
        end
    end
    local is_short = parts <= query_pairs and #target - mark <= query_bytes
    return is_short and is_end[next_state[state * columns + stop]] == 0 and can_end(previous)
end

-- A function of (method, target): whether a policy that looks at nothing but targets lets the request through, whatever
-- else the request is. False says nothing. `matchers` and `filters` are those of the kinds of target.
return function(policy, methods, matchers, filters)
    local match_path, path_filter, query_filter = matchers.path, filters.path, filters.query
    local checks_query = policy.check_query
    return function(method, target)
        if not (methods[method] or methods["*"]) then
            return false
        end
        local stop, has_literal = read_path(path_filter.automaton, target)
        if not stop then
            return false
        elseif checks_query and stop < #target
            and (query_filter.is_open or not is_query_clean(query_filter.automaton, target, stop + 1)) then
            return false
        elseif not has_literal and not path_filter.is_open then
            return true
        end
        local rule, failed = match_path(sub(target, 1, stop))
        return not rule and not failed
    end
end
