-- Transfer encodings of parts of a multipart form (RFC 2045 6), which some servers decode.

local bytes = require("guard.engine.bytes")

local byte, char, find, gsub, lower, match, sub =
    string.byte, string.char, string.find, string.gsub, string.lower, string.match, string.sub
local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift
local concat = table.concat

local _M = {}

local line_blanks = bytes.set(" \t")

local names = { "quoted-printable", "base64" }

-- The encodings that a text names, wherever it names them.
function _M.named(text)
    local list, lowered = {}, lower(text)
    for _, name in ipairs(names) do
        if find(lowered, name, 1, true) then
            list[#list + 1] = name
        end
    end
    return list
end

-- Blanks at the end of a line do not count, nor do soft line breaks. Everything besides =HH is literal.
local function from_quoted_printable(text)
    text = gsub(text, "([ \t]+)(\r?\n?)", function(blanks, stop)
        return find(stop, "\n", 1, true) and stop or blanks .. stop
    end)
    text = gsub(gsub(bytes.strip_end(text, line_blanks), "=$", ""), "=\r?\n", "")
    return (gsub(text, "=(%x%x)", function(digits) return char(tonumber(digits, 16)) end))
end

local sextets = {}
for i = 0, 25 do
    sextets[0x41 + i], sextets[0x61 + i] = i, 26 + i
end
for i = 0, 9 do
    sextets[0x30 + i] = 52 + i
end
sextets[0x2B], sextets[0x2F] = 62, 63

-- The bytes of groups of four, without what does not fill a byte.
local function from_groups(code)
    local list, bits, count = {}, 0, 0
    for i = 1, #code do
        bits, count = bor(lshift(bits, 6), sextets[byte(code, i)]), count + 6
        if count >= 8 then
            count = count - 8
            list[#list + 1] = char(rshift(bits, count))
            bits = band(bits, lshift(1, count) - 1)
        end
    end
    return concat(list)
end

-- Groups of four with stray =, up to the = that fills one, without all =.
local function lenient(code)
    local list, fills = {}, 0
    for i = 1, #code do
        local letter = sub(code, i, i)
        if letter ~= "=" then
            list[#list + 1], fills = letter, 0
        else
            fills = fills + 1
            if #list % 4 >= 2 and #list % 4 + fills >= 4 then
                break
            end
        end
    end
    return concat(list)
end

-- Up to the first =, and as Python reads it.
local function visit_base64(text, visit)
    local code = gsub(text, "[^%w+/=]+", "")
    local plain, other = match(code, "^[^=]*"), lenient(code)
    local answer = visit(from_groups(plain))
    if answer == nil and other ~= plain then
        return visit(from_groups(other))
    end
    return answer
end

-- Visits the readings of a text in these encodings until the visitor returns a value.
function _M.visit(encodings, text, visit)
    for _, name in ipairs(encodings) do
        local answer
        if name == "base64" then
            answer = visit_base64(text, visit)
        else
            answer = visit(from_quoted_printable(text))
        end
        if answer ~= nil then
            return answer
        end
    end
end

return _M
