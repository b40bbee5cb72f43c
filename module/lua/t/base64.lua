-- Base64 (RFC 4648 4), only for the data files and the differential test.

local char, floor = string.char, math.floor

local values = { ["="] = 0 }
local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
for i = 1, #alphabet do
    values[alphabet:sub(i, i)] = i - 1
end

return function(text)
    local bytes = text:gsub("(.)(.)(.)(.)", function(a, b, c, d)
        local bits = ((values[a] * 64 + values[b]) * 64 + values[c]) * 64 + values[d]
        return char(floor(bits / 65536), floor(bits / 256) % 256, bits % 256)
    end)
    return bytes:sub(1, #bytes - #text:match("=*$"))
end
