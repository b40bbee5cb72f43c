-- Decides nearly all traffic in one pass over the target, without making anything of it: a path that is its own and only
-- candidate, and that no rule matches.

local plain = require("guard.engine.plain")
local prefilter = require("guard.engine.prefilter")
local limits = require("guard.tables").limits

local byte, sub = string.byte, string.sub
local telling, can_end = plain.telling, plain.can_end
local path_bytes = limits.path_bytes
local TEXT_END = prefilter.TEXT_END

local QUERY, COLON = 0x3F, 0x3A

-- Where the path of a target ends when it is plain, else nil; and whether it holds a literal of a rule. What may be
-- behind scheme and authority is left to those who read all.
local function read_path(automaton, target)
    local next_state, is_end = automaton.next, automaton.is_end
    local columns, column_of = automaton.columns, automaton.column_of
    local state, previous, at, length, hits = automaton.start, 0, 1, #target, 0
    while at <= length do
        local code = byte(target, at)
        if code == QUERY then
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

-- A function of (method, target): whether the request is let through, whatever else it is. False says nothing.
-- `matcher` is that of paths; `unfiltered` says that it has rules without literals.
return function(compiled, matcher, automaton, unfiltered)
    local policy, methods = compiled.policy, compiled.methods
    local looks_further = not policy.enabled or policy.check_body or #policy.check_headers > 0
    local checks_query = policy.check_query
    return function(method, target)
        if looks_further or not (methods[method] or methods["*"]) then
            return false
        end
        local stop, has_literal = read_path(automaton, target)
        if not stop or checks_query and stop < #target then
            return false
        elseif not has_literal and not unfiltered then
            return true
        end
        local rule, failed = matcher(sub(target, 1, stop))
        return not rule and not failed
    end
end
