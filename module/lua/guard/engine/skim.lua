-- Reads texts in one loop over their bytes. It branches at no byte of an honest text, because each branch would leave the
-- code that LuaJIT compiles for the loop. Three machines read each byte: the shape of the text, the automaton of the
-- literals, and base64.

local machine = require("guard.engine.machine")
local shapes = require("guard.engine.shapes")
local ROW_BITS = require("guard.engine.prefilter").ROW_BITS

local byte = string.byte
local band, bnot, bor, lshift = bit.band, bit.bnot, bit.bor, bit.lshift
local START, STOP = machine.START, machine.STOP
local base64_next, is_base64 = shapes.base64.next, shapes.base64.is_text

local AND, QUESTION, QUOTE = 0x26, 0x3F, 0x22

local _M = {}

-- Returns 1 for a literal or base64 at the end of a text. A function, because LuaJIT seldom compiles what follows a loop.
local function hits_at_end(automaton, literal, code64)
    return bor(automaton.is_end_before_end[literal], is_base64[code64])
end

-- Reads a text from an index on. Returns nil when it is clean up to its end. Otherwise returns the index of the first byte
-- at which it may not be, and whether the shape is at its start there. The last result is 1 when a literal of a rule or
-- base64 was found. `most_hits` is 0 to stop there, and 1 to read on.
local function read(shape, automaton, text, from, most_hits)
    local shape_next, kept_of, checked_of = shape.next, shape.kept, shape.checked
    local next_state, is_end, is_end_before_end = automaton.next, automaton.is_end, automaton.is_end_before_end
    local column_of, start = automaton.column_of, automaton.start
    local state, literal, code64, hits = START, start, START, 0
    for at = from, #text do
        local code, before, ended = byte(text, at), state, literal
        state = shape_next[lshift(state, 8) + code]
        local kept = kept_of[state]
        literal = next_state[lshift(literal, ROW_BITS) + column_of[code]]
        hits = bor(hits, is_end[literal], band(is_end_before_end[ended], checked_of[state]),
            band(is_base64[code64], bnot(kept)))
        if state == STOP or hits > most_hits then
            return at, before == START, hits
        end
        literal = bor(band(literal, kept), band(start, bnot(kept)))
        code64 = bor(band(base64_next[lshift(code64, 8) + code], kept), band(START, bnot(kept)))
    end
    hits = bor(hits, hits_at_end(automaton, literal, code64))
    if not shape.is_last[state] or hits > most_hits then
        return #text + 1, state == START, hits
    end
    return nil, false, hits
end

-- Returns the length of the path of a target, and 1 when it has a literal of a rule. Returns nil for a path with several
-- readings.
function _M.path(automaton, target)
    local at, _, hits = read(shapes.path, automaton, target, 1, 1)
    local behind = at or #target + 1
    if byte(target, behind - 1) == QUESTION then
        return behind - 2, hits
    end
    return not at and #target or nil, hits
end

-- Returns the index of the first pair from an index on that has to be read value by value, or nil.
function _M.pairs(automaton, text, from)
    local at = read(shapes.pairs, automaton, text, from, 0)
    while at and at > from and byte(text, at - 1) ~= AND do
        at = at - 1
    end
    return at
end

-- Returns the index of the first string of JSON from an index on that has to be read by itself, or nil. Also returns whether
-- the text outside of strings is wrong there.
function _M.json(automaton, text, from)
    local at, is_outside = read(shapes.json, automaton, text, from, 0)
    while at and not is_outside and byte(text, at - 1) ~= QUOTE do
        at = at - 1
    end
    return at and at - 1, is_outside
end

return _M
