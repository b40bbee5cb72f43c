-- Recognizes forms, queries and JSON whose values no rule matches, in one pass. Allocates nothing unless a value
-- contains a literal of a rule. A value is clean when its only readings are the verbatim and the decoded text, each
-- also with spaces for plus signs, and no rule matches them.

local ffi = require("ffi")

local base64 = require("guard.engine.base64")
local bytes = require("guard.engine.bytes")
local decode = require("guard.engine.decode")
local is_outside_of_strings = require("guard.engine.json_strings").is_outside
local plain = require("guard.engine.plain")
local prefilter = require("guard.engine.prefilter")
local query = require("guard.engine.query")
local limits = require("guard.tables").limits

local is_base64, may_be_json = base64.is_text, base64.may_be_json
local byte, gsub, sub = string.byte, string.gsub, string.sub
local digits, NOT_A_DIGIT = bytes.digits, bytes.NOT_A_DIGIT
local can_name_file, is_file_key = query.file_key_starts, query.is_file_key
local TEXT_END = prefilter.TEXT_END

local AND, EQUALS, PERCENT, PLUS, QUOTE, SLASH = 0x26, 0x3D, 0x25, 0x2B, 0x22, 0x2F

local _M = {}

-- Maximum bytes of a text that can be clean. The readings of its values then reach no limit on candidates.
local most_bytes = limits.query_bytes

-- The ambiguous pairs of plain.lua, and two more: a plus is also a space, and a quotation mark may belong to JSON.
local ambiguous = ffi.new("uint8_t[?]", 65536)
ffi.copy(ambiguous, plain.ambiguous, 65536)
for first = 0, 255 do
    ambiguous[first * 256 + QUOTE] = 1
end
ambiguous[PLUS * 256 + SLASH] = 1

-- Kinds of values: a key, the value of a key, a string of JSON. Each kind ends at different characters.
local KEY, VALUE, STRING = 1, 2, 3

-- Bytes in which a plain value can end. A plus at the end is also read as a space.
local can_end = {}
for code = 0, 255 do
    can_end[code] = code ~= PLUS and plain.can_end(code)
end

local function is_end_of(mode, code)
    if mode == STRING then
        return code == QUOTE
    end
    return code == AND or code == EQUALS and mode == KEY
end

-- The decoded text of the current value.
local decoded = ffi.new("uint8_t[?]", most_bytes)

-- Whether no rule matches a text, with or without its final slashes.
local function is_text_clean(match, text, pause)
    local rule, failed = match(text, nil, pause)
    if rule or failed then
        return false
    end
    return byte(text, #text) ~= SLASH or is_text_clean(match, sub(text, 1, -2), pause)
end

_M.is_text_clean = is_text_clean

-- Whether no rule matches any reading of a plain value.
local function is_value_clean(match, value, pause)
    local function is_clean(text)
        local decoded_text = decode(text)
        return is_text_clean(match, text, pause) and (decoded_text == text or is_text_clean(match, decoded_text, pause))
    end
    local spaced = gsub(value, "+", " ")
    return is_clean(value) and (spaced == value or is_clean(spaced))
end

-- Reads the value from an index on. Returns the index after it, or nil when it is not clean. Tests only the decoded
-- value for other readings: when the raw value has another reading, the decoded value has one too.
local function read_value(filter, match, text, from, mode, pause)
    local automaton, length = filter.automaton, #text
    local next_state, is_end = automaton.next, automaton.is_end
    local columns, column_of = automaton.columns, automaton.column_of
    -- States of the automaton after the last byte and the byte before, in the value as sent and in the decoded value.
    local raw_state, raw_state_before, decoded_state, decoded_state_before = automaton.start, 0, automaton.start, 0
    local last, hits, size, digits_left, is_escaped, at = 0, 0, 0, 0, false, from
    while at <= length do
        local code = byte(text, at)
        if is_end_of(mode, code) then
            break
        end
        raw_state_before, raw_state = raw_state, next_state[raw_state * columns + column_of[code]]
        hits = hits + is_end[raw_state]
        if digits_left > 0 then
            digits_left = digits_left - 1
        else
            if code == PERCENT then
                code = at + 2 <= length and digits[byte(text, at + 1)] * 16 + digits[byte(text, at + 2)] or NOT_A_DIGIT
                digits_left, is_escaped = 2, true
            end
            if code > 255 or ambiguous[last * 256 + code] == 1 then
                return nil
            end
            decoded_state_before = decoded_state
            if is_escaped then
                decoded_state = next_state[decoded_state * columns + column_of[code]]
                hits = hits + is_end[decoded_state]
            else
                decoded_state = raw_state -- both texts are equal so far
            end
            decoded[size], size, last = code, size + 1, code
        end
        at = at + 1
    end
    if not can_end[last] or is_base64(decoded, size) or may_be_json(decoded, size) then
        return nil
    end
    local stop = column_of[TEXT_END]
    hits = hits + is_end[next_state[raw_state * columns + stop]] + is_end[next_state[decoded_state * columns + stop]]
    if last == SLASH then -- also checks the readings without the final slash
        hits = hits + is_end[next_state[raw_state_before * columns + stop]]
            + is_end[next_state[decoded_state_before * columns + stop]]
    end
    if (hits > 0 or filter.has_rule_without_literal) and not is_value_clean(match, sub(text, from, at - 1), pause) then
        return nil
    end
    return at
end

-- Returns whether the pairs of a query or form are clean, from an index on, and their number.
function _M.are_pairs_clean(filter, match, text, from, pause)
    local at, count, mode, length = from, 0, KEY, #text
    if length > most_bytes then
        return false, 0
    end
    while at <= length + 1 do
        local start = at
        at = read_value(filter, match, text, at, mode, pause)
        if not at then
            return false, count
        elseif mode == KEY and byte(text, at) == EQUALS then
            if can_name_file[byte(text, start)] and is_file_key(sub(text, start, at - 1)) then
                return false, count -- file=<value> is also inspected
            end
            mode = VALUE
        else
            mode, count = KEY, count + 1
        end
        at = at + 1
    end
    return true, count
end

-- Returns whether the strings of JSON are clean, and their number. JSON in which parsers can find other strings is not
-- clean.
function _M.is_json_clean(filter, match, text, pause)
    local at, count, length = 1, 0, #text
    while length <= most_bytes and at <= length do
        local code = byte(text, at)
        if code == QUOTE then
            at, count = read_value(filter, match, text, at + 1, STRING, pause) or length + 1, count + 1
        elseif not is_outside_of_strings[code] then
            return false, count
        end
        at = at + 1
    end
    return at == length + 1, count -- `at` is larger when the last string is not closed, or when a string is not clean
end

return _M
