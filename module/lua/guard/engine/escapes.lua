-- Decodes the escapes of a query or form once, in one loop that branches at no byte (skim.lua).

local ffi = require("ffi")

local bytes = require("guard.engine.bytes")
local limits = require("guard.tables").limits

local byte = string.byte
local band, bnot, bor, lshift = bit.band, bit.bnot, bit.bor, bit.lshift
local digits, NOT_A_DIGIT = bytes.digits, bytes.NOT_A_DIGIT

local _M = {}

-- What the last byte was: no part of an escape or its end, a percent sign, its first digit, or a wrong one, which stays.
local WHOLE, PERCENT, DIGIT, WRONG = 0, 1, 2, 3
local phases = ffi.new("uint8_t[?]", 4 * 256)
for code = 0, 255 do
    local is_digit = digits[code] ~= NOT_A_DIGIT
    phases[code] = code == byte("%") and PERCENT or WHOLE
    phases[PERCENT * 256 + code] = is_digit and DIGIT or WRONG
    phases[DIGIT * 256 + code] = is_digit and WHOLE or WRONG
    phases[WRONG * 256 + code] = WRONG
end

-- Masks by phase: behind which a byte belongs to an escape, and which ends a decoded byte.
local in_escape = ffi.new("int32_t[4]", { 0, -1, -1, -1 })
local is_complete = ffi.new("int32_t[4]", { -1, 0, 0, 0 })

-- Decoded bytes that mean something else without an escape: separators of pairs, and the start of another escape.
_M.SEPARATOR, _M.ESCAPE = 1, 2
local meanings = ffi.new("uint8_t[?]", 256)
meanings[byte("&")], meanings[byte("=")], meanings[byte("%")] = _M.SEPARATOR, _M.SEPARATOR, _M.ESCAPE

local most_bytes = limits.query_bytes
local decoded = ffi.new("uint8_t[?]", most_bytes + 1)

-- Decodes the text from an index on. Returns an FFI array, the number of its bytes, and the meanings of decoded bytes in one
-- number. Returns nil for a text that is too long or has a percent sign without two digits.
function _M.decode(text, from)
    if #text - from >= most_bytes then
        return nil
    end
    local phase, value, size, found = WHOLE, 0, 0, 0
    for at = from, #text do
        local code, escaped = byte(text, at), in_escape[phase]
        phase = phases[lshift(phase, 8) + code]
        value = bor(band(code, bnot(escaped)), band(bor(lshift(value, 4), digits[code]), escaped, 255))
        decoded[size] = value
        found = bor(found, band(meanings[value], escaped, is_complete[phase]))
        size = size - is_complete[phase]
    end
    if phase ~= WHOLE then
        return nil
    end
    return decoded, size, found
end

return _M
