-- Reads texts in one loop over their bytes. It branches at no byte of an honest text, because each branch would leave the
-- code that LuaJIT compiles for the loop. Three machines read each byte: the shape of the text, the automaton of the
-- literals, and base64.

local ffi = require("ffi")

local machine = require("guard.engine.machine")
local shapes = require("guard.engine.shapes")
local ROW_BITS = require("guard.engine.prefilter").ROW_BITS

local byte = string.byte
local band, bnot, bor, lshift = bit.band, bit.bnot, bit.bor, bit.lshift
local START, STOP = machine.START, machine.STOP
local base64_next, is_base64 = shapes.base64.next, shapes.base64.is_text

local AND, EQUALS, QUESTION, QUOTE, SLASH = 0x26, 0x3D, 0x3F, 0x22, 0x2F

local _M = {}

-- Returns 1 for a literal or base64 at the end of a text. A function, because LuaJIT seldom compiles what follows a loop.
local function hits_at_end(automaton, literal, code64)
    return bor(automaton.is_end_before_end[literal], is_base64[code64])
end

-- Reads a text from an index on. Returns nil when it is clean up to its end. Otherwise returns the index of the first byte
-- at which it may not be, and whether the shape is at its start there. The last result is 1 when a literal of a rule or
-- base64 was found. `stopping` is -1 to stop there, and 0 to read on.
local function read(shape, automaton, text, from, stopping)
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
        if state == STOP or band(hits, stopping) ~= 0 then
            return at, before == START, hits
        end
        literal = bor(band(literal, kept), band(start, bnot(kept)))
        code64 = bor(band(base64_next[lshift(code64, 8) + code], kept), band(START, bnot(kept)))
    end
    hits = bor(hits, hits_at_end(automaton, literal, code64))
    if not shape.is_last[state] or band(hits, stopping) ~= 0 then
        return #text + 1, state == START, hits
    end
    return nil, false, hits
end

-- Bytes that have an escape in a candidate.
local is_escaped = ffi.new("uint8_t[?]", 256)
for code = 0, 255 do
    is_escaped[code] = (code < 0x20 or code > 0x7E) and 1 or 0
end

-- Whether bytes, which are an FFI array, are printable ASCII without a literal of a rule.
function _M.is_line_clean(automaton, bytes, length)
    local next_state, is_end, column_of = automaton.next, automaton.is_end, automaton.column_of
    local literal, hits = automaton.start, 0
    for at = 0, length - 1 do
        local code = bytes[at]
        literal = next_state[lshift(literal, ROW_BITS) + column_of[code]]
        hits = bor(hits, is_end[literal], is_escaped[code])
    end
    return bor(hits, automaton.is_end_before_end[literal]) == 0
end

-- Returns the length of the path of a target, and 1 when it has a literal of a rule. Returns nil for a path with several
-- readings.
function _M.path(automaton, target)
    local at, _, hits = read(shapes.path, automaton, target, 1, 0)
    local behind = at or #target + 1
    if byte(target, behind - 1) == QUESTION then
        return behind - 2, hits
    end
    return not at and #target or nil, hits
end

-- Returns the index of the first pair from an index on that has to be read value by value, or nil.
function _M.pairs(automaton, text, from)
    local at = read(shapes.pairs, automaton, text, from, -1)
    while at and at > from and byte(text, at - 1) ~= AND do
        at = at - 1
    end
    return at
end

-- Masks by byte: separators of pairs, and bytes in front of which a reading of a value may end.
local separates, may_end = ffi.new("int32_t[?]", 256), ffi.new("int32_t[?]", 256)
for _, code in ipairs({ AND, EQUALS }) do
    separates[code], may_end[code] = -1, -1
end
may_end[SLASH] = -1

-- Whether keys and values with escapes have, as they were sent, no literal of a rule from an index on.
function _M.are_sent_pairs_clean(automaton, text, from)
    local next_state, is_end, is_end_before_end = automaton.next, automaton.is_end, automaton.is_end_before_end
    local column_of, start = automaton.column_of, automaton.start
    local literal, hits = start, 0
    for at = from, #text do
        local code, ended = byte(text, at), literal
        local separator = separates[code]
        literal = next_state[lshift(literal, ROW_BITS) + column_of[code]]
        hits = bor(hits, is_end[literal], band(is_end_before_end[ended], may_end[code]))
        literal = bor(band(literal, bnot(separator)), band(start, separator))
    end
    return bor(hits, is_end_before_end[literal]) == 0
end

-- Returns the index of the first string of JSON from an index on that has to be read by itself, or nil. Also returns whether
-- the text outside of strings is wrong there.
function _M.json(automaton, text, from)
    local at, is_outside = read(shapes.json, automaton, text, from, -1)
    while at and not is_outside and byte(text, at - 1) ~= QUOTE do
        at = at - 1
    end
    return at and at - 1, is_outside
end

return _M
