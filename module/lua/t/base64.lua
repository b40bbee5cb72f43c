-- RFC 4648 4, for the data files and the differential test only.

local bit = require("bit")
local ffi = require("ffi")

local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift

local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local values = ffi.new("uint8_t[256]")
for i = 1, #alphabet do
    values[alphabet:byte(i)] = i - 1
end

return function(text)
    local digits = #text
    while digits > 0 and text:byte(digits) == 61 do -- =
        digits = digits - 1
    end
    local size = rshift(digits * 3, 2)
    local out = ffi.new("uint8_t[?]", size + 3)
    local at, bits, count = 0, 0, 0
    for i = 1, digits do
        bits = band(bor(lshift(bits, 6), values[text:byte(i)]), 0xffff)
        count = count + 6
        if count >= 8 then
            count = count - 8
            out[at] = band(rshift(bits, count), 0xff)
            at = at + 1
        end
    end
    return ffi.string(out, size)
end
