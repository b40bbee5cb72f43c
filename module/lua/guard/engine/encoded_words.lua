-- Encoded words of mail (RFC 2047) in the names of parts: Tomcat and Commons FileUpload decode them in each parameter,
-- Spring in `filename`.

local base64 = require("guard.engine.base64")
local with_quoted_bytes = require("guard.engine.transfer_encoding").with_quoted_bytes

local find, gsub = string.find, string.gsub

local function decode_word(encoding, text)
    if encoding == "B" or encoding == "b" then
        return base64.decode((gsub(text, "[^%w+/]", "")))
    end
    return with_quoted_bytes((gsub(text, "_", " ")))
end

-- Returns names, and after each one with encoded words its text. Blanks between two of them do not count.
return function(names)
    local readings = {}
    for _, name in ipairs(names) do
        readings[#readings + 1] = name
        if find(name, "=?", 1, true) then
            local text = gsub(gsub(name, "%?=[ \t]+=%?", "?==?"), "=%?[^? \t]+%?([BbQq])%?([^? \t]*)%?=", decode_word)
            if text ~= name then
                readings[#readings + 1] = text
            end
        end
    end
    return readings
end
