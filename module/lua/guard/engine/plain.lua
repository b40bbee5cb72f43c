-- Recognizes plain texts: the only candidate of a plain text is the text itself, unless it is base64. Nearly all texts
-- are plain.

local ffi = require("ffi")

local byte, char, find = string.byte, string.char, string.find
local DOT, SPACE = 0x2E, 0x20

local _M = {}

-- Pairs of bytes that allow another reading, at index `first * 256 + second`.
local ambiguous = ffi.new("uint8_t[?]", 65536)
for first = 0, 255 do
    for second = 0, 255 do
        local pair = char(first, second)
        if find(pair, "^.[^ -~]") or find(pair, "^.[%%\\;?#]") or find(pair, "^/[/.]") or find(pair, "^[. ]/") or pair == ":$" then
            ambiguous[first * 256 + second] = 1
        end
    end
end

_M.ambiguous = ambiguous

-- Whether a plain text can end in this byte.
function _M.can_end(code)
    return code ~= DOT and code ~= SPACE
end

-- Whether URL decoding and path normalization leave the text unchanged. Does not check for base64. Loops over bytes,
-- because LuaJIT does not compile patterns.
function _M.is_plain(text)
    local previous = 0
    for at = 1, #text do
        local code = byte(text, at)
        if ambiguous[previous * 256 + code] == 1 then
            return false
        end
        previous = code
    end
    return previous ~= DOT and previous ~= SPACE
end

-- Whether a value is a word. Only base64 decoding can change a word. Words do not count as values of a body, or of JSON
-- in a query.
function _M.is_word(value)
    return not find(value, "[^%w_:,@. -]") and not find(value, "[. ]$")
end

return _M
