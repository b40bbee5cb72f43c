-- Functions for byte strings.

local ffi = require("ffi")

local byte, char, format, gsub, sub = string.byte, string.char, string.format, string.gsub, string.sub
local band, bor, rshift = bit.band, bit.bor, bit.rshift
local tonumber = tonumber

local _M = {}

-- The value of each hexadecimal digit. NOT_A_DIGIT is so high that an escape with a byte that is not a digit exceeds
-- 255. Unlike with tonumber and a base, LuaJIT compiles look-ups in it.
_M.NOT_A_DIGIT = 0x1000
_M.digits = ffi.new("uint16_t[?]", 256)
for code = 0, 255 do
    _M.digits[code] = tonumber(char(code), 16) or _M.NOT_A_DIGIT
end

local hex = {}
for code = 0, 255 do
    hex[char(code)] = format("%%%02X", code)
end

-- Replaces every byte that is not printable ASCII by % and two digits, as in candidates.
function _M.escape(bytes)
    return (gsub(bytes, "[^ -~]", hex))
end

-- Returns the UTF-8 bytes of a code point (RFC 3629 3).
function _M.utf8(code_point)
    local function tail(shift)
        return bor(0x80, band(rshift(code_point, shift), 0x3F))
    end
    if code_point < 0x80 then
        return char(code_point)
    elseif code_point < 0x800 then
        return char(bor(0xC0, rshift(code_point, 6)), tail(0))
    elseif code_point < 0x10000 then
        return char(bor(0xE0, rshift(code_point, 12)), tail(6), tail(0))
    end
    return char(bor(0xF0, rshift(code_point, 18)), tail(12), tail(6), tail(0))
end

-- Removes the bytes of `set` at the end. Takes linear time; a pattern such as "%s*$" would take quadratic time.
function _M.strip_end(bytes, set)
    local stop = #bytes
    while stop > 0 and set[byte(bytes, stop)] do
        stop = stop - 1
    end
    return sub(bytes, 1, stop)
end

function _M.strip(bytes, set)
    local start = 1
    while set[byte(bytes, start)] do
        start = start + 1
    end
    return _M.strip_end(sub(bytes, start), set)
end

-- Returns a set of the bytes of a string, for `strip` and `strip_end`.
function _M.set(members)
    local set = {}
    for i = 1, #members do
        set[byte(members, i)] = true
    end
    return set
end

-- Iterates over the non-empty parts between separators (one byte).
function _M.parts(bytes, separator)
    return string.gmatch(bytes, "[^" .. separator .. "]+")
end

return _M
