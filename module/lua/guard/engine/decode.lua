-- One round of URL decoding: %HH, and the %uHHHH of old IIS, in one pass from left to right.

local bytes = require("guard.engine.bytes")

local char, find, gsub = string.char, string.find, string.gsub
local tonumber = tonumber

local function decode_byte(digits)
    return char(tonumber(digits, 16))
end

-- Decodes the text after a percent sign: an optional u, and two to four hex digits. This text has no percent sign, so
-- it has no part of another escape.
local function decode_either(mark, digits, more)
    if mark == "" then
        return decode_byte(digits) .. more
    end
    local code_point = #more == 2 and tonumber(digits .. more, 16)
    if not code_point or code_point >= 0xD800 and code_point <= 0xDFFF then
        return nil
    end
    return bytes.utf8(code_point)
end

return function(text)
    if not find(text, "%", 1, true) then
        return text
    elseif not find(text, "%%[uU]") then
        return (gsub(text, "%%(%x%x)", decode_byte))
    end
    return (gsub(text, "%%([uU]?)(%x%x)(%x?%x?)", decode_either))
end
