-- Recognizes forms, queries and JSON whose values no rule matches, in one pass. Allocates nothing unless a value
-- contains a literal of a rule. A value is clean when its only readings are the verbatim and the decoded text, each
-- also with spaces for plus signs, and no rule matches them.

local ffi = require("ffi")

local base64 = require("guard.engine.base64")
local bytes = require("guard.engine.bytes")
local decode = require("guard.engine.decode")
local escapes = require("guard.engine.escapes")
local json_strings = require("guard.engine.json_strings")
local prefilter = require("guard.engine.prefilter")
local query = require("guard.engine.query")
local shapes = require("guard.engine.shapes")
local skim = require("guard.engine.skim")
local view = require("guard.engine.view")
local limits = require("guard.tables").limits

local is_base64, may_be_json = base64.is_text, base64.may_be_json
local is_outside_of_strings = json_strings.is_outside
local byte, find, gsub, sub = string.byte, string.find, string.gsub, string.sub
local lshift = bit.lshift
local digits, NOT_A_DIGIT = bytes.digits, bytes.NOT_A_DIGIT
local ambiguous, can_end = shapes.ambiguous_in_value, shapes.can_end_value
local can_name_file, is_file_key = query.file_key_starts, query.is_file_key
local ROW_BITS, TEXT_END = prefilter.ROW_BITS, prefilter.TEXT_END

local AND, EQUALS, PERCENT, QUOTE, SLASH = 0x26, 0x3D, 0x25, 0x22, 0x2F

local _M = {}

-- Maximum bytes of a text that can be clean. The readings of its values then reach no limit on candidates.
local most_bytes = limits.query_bytes

-- Kinds of values: a key, the value of a key, a string of JSON. Each kind ends at different characters.
local KEY, VALUE, STRING = 1, 2, 3

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
    local column_of = automaton.column_of
    -- States of the automaton after the last byte and the byte before, in the value as sent and in the decoded value.
    local raw_state, raw_state_before, decoded_state, decoded_state_before = automaton.start, 0, automaton.start, 0
    local last, hits, size, digits_left, is_escaped, at = 0, 0, 0, 0, false, from
    while at <= length do
        local code = byte(text, at)
        if is_end_of(mode, code) then
            break
        end
        raw_state_before, raw_state = raw_state, next_state[lshift(raw_state, ROW_BITS) + column_of[code]]
        hits = hits + is_end[raw_state]
        if digits_left > 0 then
            digits_left = digits_left - 1
        else
            if code == PERCENT then
                code = at + 2 <= length and digits[byte(text, at + 1)] * 16 + digits[byte(text, at + 2)] or NOT_A_DIGIT
                digits_left, is_escaped = 2, true
            end
            if code > 255 or ambiguous[lshift(last, 8) + code] == 1 then
                return nil
            end
            decoded_state_before = decoded_state
            if is_escaped then
                decoded_state = next_state[lshift(decoded_state, ROW_BITS) + column_of[code]]
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
    hits = hits + is_end[next_state[lshift(raw_state, ROW_BITS) + stop]]
        + is_end[next_state[lshift(decoded_state, ROW_BITS) + stop]]
    if last == SLASH then -- also checks the readings without the final slash
        hits = hits + is_end[next_state[lshift(raw_state_before, ROW_BITS) + stop]]
            + is_end[next_state[lshift(decoded_state_before, ROW_BITS) + stop]]
    end
    if (hits > 0 or filter.has_rule_without_literal) and not is_value_clean(match, sub(text, from, at - 1), pause) then
        return nil
    end
    return at
end

-- Reads the pair from an index on. Returns the index after it, or nil when it is not clean.
local function read_pair(filter, match, text, from, pause)
    local at = read_value(filter, match, text, from, KEY, pause)
    if not at or byte(text, at) ~= EQUALS then
        return at
    elseif can_name_file[byte(text, from)] and is_file_key(sub(text, from, at - 1)) then
        return nil -- file=<value> is also inspected
    end
    return read_value(filter, match, text, at + 1, VALUE, pause)
end

-- A text of so few bytes has too few values for a limit on them.
local FEW = limits.query_pairs

-- Returns how many times a byte occurs from an index on, or 0 in a short text.
local function count_of(separator, text, from)
    local count, at = 0, #text - from >= FEW and find(text, separator, from, true)
    while at do
        count, at = count + 1, find(text, separator, at + 1, true)
    end
    return count
end

-- Bytes of pairs between two pauses. A pause costs more than a pair.
local PIECE_BYTES = 4096

-- Returns the index of the first pair from an index on that has to be read value by value, or nil.
local function suspect_of(filter, text, from)
    return filter.has_rule_without_literal and from or skim.pairs(filter.automaton, text, from)
end

local function no_pause() end

-- Whether pairs with escapes are clean from an index on, both as they were sent and decoded.
local function are_escaped_pairs_clean(filter, text, from, pause)
    if filter.has_rule_without_literal or not find(text, "%", from, true) then
        return false
    end
    local decoded_bytes, size, meanings = escapes.decode(text, from)
    if not decoded_bytes or meanings ~= 0 then
        return false
    end
    local decoded_text = ffi.string(decoded_bytes, size)
    pause()
    local is_clean = skim.are_sent_pairs_clean(filter.automaton, text, from)
    pause()
    return is_clean and not skim.pairs(filter.automaton, decoded_text, 1)
end

-- Returns whether the pairs of a query or form are clean, from an index on, and their number where there are many.
-- `pause` may be nil.
function _M.are_pairs_clean(filter, match, text, from, pause)
    local length, paused_at = #text, from
    if length > most_bytes then
        return false, 0
    end
    local suspect = from <= length and suspect_of(filter, text, from)
    if suspect and are_escaped_pairs_clean(filter, text, suspect, pause or no_pause) then
        suspect = nil
    end
    while suspect do
        local stop = read_pair(filter, match, text, suspect, pause)
        if not stop then
            return false, 0
        elseif pause and stop - paused_at > PIECE_BYTES then
            pause()
            paused_at = stop
        end
        suspect = stop < length and suspect_of(filter, text, stop + 1)
    end
    return true, count_of("&", text, from) + 1
end

-- Reads the string of JSON that opens at an index by all of its readings. Returns the index of its closing quote, or nil when
-- it is not clean.
local function read_whole_string(match, text, open, budget, pause)
    local value, close = json_strings.string_at(text, open, pause)
    local candidates, limit = view(value, most_bytes, budget)
    if limit or json_strings.inner_of(value) then
        return nil
    end
    for _, candidate in ipairs(candidates) do
        if not is_text_clean(match, candidate, pause) then
            return nil
        end
    end
    return close
end

-- Returns the index after the string of JSON that opens at an index, or nil when it is not clean.
local function read_string(filter, match, text, open, budget)
    local close = read_value(filter, match, text, open + 1, STRING, budget.pause)
        or read_whole_string(match, text, open, budget, budget.pause)
    return close and close + 1
end

-- Returns whether the strings of JSON are clean, and their number where there are many. JSON in which parsers can find other
-- strings is not clean.
function _M.is_json_clean(filter, match, text, pause)
    -- Strings with one reading, and one of spaces for plus signs, are not counted one by one.
    local budget = { used = 2 * #text, pause = pause }
    local at, length, is_outside = 1, #text, false
    while length <= most_bytes and at and at <= length do
        if not filter.has_rule_without_literal then
            at, is_outside = skim.json(filter.automaton, text, at)
        end
        local code = at and byte(text, at)
        if not at then
            at = length + 1
        elseif code == QUOTE and not is_outside then
            at = read_string(filter, match, text, at, budget)
        elseif is_outside or not is_outside_of_strings[code] then
            return false, 0
        else
            at = at + 1
        end
    end
    -- `at` is larger when the last string is not closed.
    return at == length + 1, count_of('"', text, 1) / 2
end

return _M
