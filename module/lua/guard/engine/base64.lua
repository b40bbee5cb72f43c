-- Decodes base64 values, such as ?f=L2V0Yy9wYXNzd2Q: applications decode them before they open a file.

local ffi = require("ffi")

local byte = string.byte
local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift

local _M = {}

local EQUALS = 0x3D
local NONE = 0xFF
-- Minimum number of characters. Fewer characters encode at most three bytes, which the guard regards as too short for
-- the name of a file.
local SHORTEST = 6

-- The value of each character of both alphabets (RFC 4648 4 and 5); NONE for all other characters.
local values = ffi.new("uint8_t[?]", 256)
ffi.fill(values, 256, NONE)
local letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
for _, alphabet in ipairs({ letters .. "+/", letters .. "-_" }) do
    for i = 1, #alphabet do
        values[byte(alphabet, i)] = i - 1
    end
end

_M.NONE, _M.SHORTEST, _M.values = NONE, SHORTEST, values

-- ffi.cast would parse the name of a type on each call that is not compiled.
local pointer = ffi.typeof("const uint8_t *")

-- Returns the characters of a value that can be base64, without its padding, and their number. The number is nil for a
-- value of another length. `text` is a string or an FFI array of bytes.
local function codes_of(text, length)
    local codes = type(text) == "string" and ffi.cast(pointer, text) or text
    for _ = 1, 2 do
        if length > 0 and codes[length - 1] == EQUALS then
            length = length - 1
        end
    end
    return codes, length >= SHORTEST and length % 4 ~= 1 and length or nil
end

-- The first two characters with which base64 of a JSON object or list can begin: { or [ and a character that JSON allows
-- behind it, or a blank and one of these or a blank.
local starts_json = {}
_M.starts_json = starts_json
for first, seconds in pairs({ e = "wyz0123", W = "wyz0123", I = "ACFH", C = "QSVXgiln", D = "QSVX" }) do
    for second in seconds:gmatch(".") do
        starts_json[byte(first) * 256 + byte(second)] = true
    end
end

-- Whether bytes are base64 with the start of JSON. `text` is a string or an FFI array of bytes.
function _M.may_be_json(text, length)
    if length < SHORTEST then
        return false
    end
    local codes, size = codes_of(text, length)
    if not size or not starts_json[codes[0] * 256 + codes[1]] then
        return false
    end
    for at = 0, size - 1 do
        if values[codes[at]] == NONE then
            return false
        end
    end
    return true
end

-- Whether bytes are base64 of printable ASCII. `text` is a string or an FFI array of bytes.
function _M.is_text(text, length)
    if length < SHORTEST then
        return false
    end
    local codes
    codes, length = codes_of(text, length)
    if not length then
        return false
    end
    local bits, count = 0, 0
    for at = 0, length - 1 do
        local value = values[codes[at]]
        if value == NONE then
            return false
        end
        bits, count = bor(lshift(bits, 6), value), count + 6
        if count >= 8 then
            count = count - 8
            local code = rshift(bits, count)
            if code < 0x20 or code > 0x7E then
                return false
            end
            bits = band(bits, lshift(1, count) - 1)
        end
    end
    return true
end

-- Decodes base64 characters without padding. Drops an incomplete last byte.
function _M.decode(code)
    local decoded, size, bits, count = ffi.new("uint8_t[?]", #code), 0, 0, 0
    for i = 1, #code do
        bits, count = bor(lshift(bits, 6), values[byte(code, i)]), count + 6
        if count >= 8 then
            count = count - 8
            decoded[size], size = rshift(bits, count), size + 1
            bits = band(bits, lshift(1, count) - 1)
        end
    end
    return ffi.string(decoded, size)
end

-- Returns the decoded text of a value that is completely base64 and may be JSON, otherwise nil.
function _M.json_of(value)
    return _M.may_be_json(value, #value) and _M.decode((value:gsub("=", ""))) or nil
end

-- Returns the decoded text of a value that is completely base64 of printable ASCII, otherwise nil.
function _M.text_of(value)
    return _M.is_text(value, #value) and _M.decode((value:gsub("=", ""))) or nil
end

return _M
