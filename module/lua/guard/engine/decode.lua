-- One round of URL decoding: %HH, and the %uHHHH of old IIS, in one pass from left to right.

local bytes = require("guard.engine.bytes")

local char, find, gsub, sub = string.char, string.find, string.gsub, string.sub
local tonumber = tonumber

local function decode_unicode(digits)
    local code_point = tonumber(digits, 16)
    if code_point >= 0xD800 and code_point <= 0xDFFF then
        return nil
    end
    return bytes.utf8(code_point)
end

local pairs_of_digits = {}
for code = 0, 255 do
    for _, form in ipairs({ "%02x", "%02X" }) do
        pairs_of_digits[string.format(form, code)] = char(code)
    end
end

-- What the two or five bytes after a percent sign decode to, and how many of them are used.
local function decode_at(text, at)
    local digits = sub(text, at + 1, at + 2)
    if find(digits, "^%x%x$") then
        return pairs_of_digits[digits] or char(tonumber(digits, 16)), 2
    end
    local unicode = string.match(text, "^[uU](%x%x%x%x)", at + 1)
    local decoded = unicode and decode_unicode(unicode)
    if decoded then
        return decoded, 5
    end
    return "%", 0
end

-- Everything that is not an escape stays unchanged.
return function(text)
    local at = find(text, "%", 1, true)
    if not at then
        return text
    end
    if not find(text, "%%[uU]") then
        return (gsub(text, "%%(%x%x)", function(digits) return char(tonumber(digits, 16)) end))
    end
    local out, from = {}, 1
    while at do
        local decoded, taken = decode_at(text, at)
        out[#out + 1] = sub(text, from, at - 1)
        out[#out + 1] = decoded
        from = at + 1 + taken
        at = find(text, "%", from, true)
    end
    out[#out + 1] = sub(text, from)
    return table.concat(out)
end
