-- Allows nearly all targets in one pass without allocations. It allows paths, keys and values that are plain and that
-- no rule matches.

local ffi = require("ffi")

local is_base64 = require("guard.engine.base64").is_in
local plain = require("guard.engine.plain")
local prefilter = require("guard.engine.prefilter")
local limits = require("guard.tables").limits

local byte, find, sub = string.byte, string.find, string.sub
local ambiguous, can_end = plain.ambiguous, plain.can_end
local path_bytes, query_bytes, query_pairs = limits.path_bytes, limits.query_bytes, limits.query_pairs
local TEXT_END = prefilter.TEXT_END

local AND, COLON, EQUALS, PLUS, QUESTION, QUOTE, SLASH = 0x26, 0x3A, 0x3D, 0x2B, 0x3F, 0x22, 0x2F

-- Pairs of bytes as in plain.lua, for values of a query: a plus is also read as a space, and quotation marks can belong
-- to JSON.
local query_ambiguous = ffi.new("uint8_t[?]", 65536)
ffi.copy(query_ambiguous, ambiguous, 65536)
for first = 0, 255 do
    query_ambiguous[first * 256 + PLUS] = 1
    query_ambiguous[first * 256 + QUOTE] = 1
end

-- Whether no rule matches a text, nor the text without its final slash.
local function is_text_clean(match, text)
    local rule, failed = match(text)
    if rule or failed then
        return false
    end
    return byte(text, #text) ~= SLASH or is_text_clean(match, sub(text, 1, -2))
end

-- Returns where the path of a plain target ends, or nil; and whether the path contains a literal of a rule. A target
-- that may be in absolute form is not plain.
local function read_path(automaton, target)
    local next_state, is_end = automaton.next, automaton.is_end
    local columns, column_of = automaton.columns, automaton.column_of
    local state, previous, at, length, hits = automaton.start, 0, 1, #target, 0
    local stop = column_of[TEXT_END]
    while at <= length do
        local code = byte(target, at)
        if code == QUESTION then
            break
        elseif code == COLON or ambiguous[previous * 256 + code] == 1 then
            return nil
        end
        if code == SLASH then -- the readings without final slash and without path info follow
            hits = hits + is_end[next_state[state * columns + stop]]
        end
        state = next_state[state * columns + column_of[code]]
        hits = hits + is_end[state]
        previous, at = code, at + 1
    end
    hits = hits + is_end[next_state[state * columns + stop]]
    local is_plain = at > 1 and at <= path_bytes + 1 and can_end(previous) and not is_base64(target, 1, at - 1)
    return is_plain and at - 1 or nil, hits > 0
end

-- Whether the query after `mark` has only plain keys and values without quotation marks, and no rule matches them.
local function is_query_clean(filter, match, target, mark)
    local automaton, is_open, length = filter.automaton, filter.is_open, #target
    local next_state, is_end = automaton.next, automaton.is_end
    local columns, column_of = automaton.columns, automaton.column_of
    local stop, state, previous, hits = column_of[TEXT_END], automaton.start, 0, 0
    local before = state
    local parts, is_value, start, at = 0, false, mark + 1, mark + 1
    while at <= length + 1 do
        local code = at <= length and byte(target, at) or AND
        if code == AND or code == EQUALS and not is_value then
            hits = hits + is_end[next_state[state * columns + stop]]
            if previous == SLASH then
                hits = hits + is_end[next_state[before * columns + stop]]
            end
            if not can_end(previous) or is_base64(target, start, at - 1)
                or (hits > 0 or is_open) and not is_text_clean(match, sub(target, start, at - 1)) then
                return false
            end
            if code == EQUALS and at - start == 4 and sub(target, start, at - 1) == "file" then
                return false -- the whole pair is inspected too
            end
            is_value = code == EQUALS
            parts = parts + (is_value and 0 or 1)
            state, previous, hits, start = automaton.start, 0, 0, at + 1
        elseif query_ambiguous[previous * 256 + code] == 1 then
            return false
        else
            before, state = state, next_state[state * columns + column_of[code]]
            hits = hits + is_end[state]
            previous = code
        end
        at = at + 1
    end
    return parts <= query_pairs and length - mark <= query_bytes
end

-- Returns a function of (method, target). It returns true when a policy that inspects only targets allows the request.
-- Otherwise the engine must decide. `matchers` and `filters` are by kind of target.
return function(policy, methods, matchers, filters)
    local path_filter, query_filter = filters.path, filters.query
    local checks_query = policy.check_query
    return function(method, target)
        if not (methods[method] or methods["*"]) then
            return false
        end
        local stop, has_literal = read_path(path_filter.automaton, target)
        if not stop then
            return false
        elseif checks_query and stop < #target
            and not is_query_clean(query_filter, matchers.query, target, stop + 1) then
            return false
        end
        if not has_literal and not path_filter.is_open then
            return true
        end
        local path = sub(target, 1, stop)
        return not find(path, "%.[^./]+/") and is_text_clean(matchers.path, path) -- else the engine reads path info
    end
end
