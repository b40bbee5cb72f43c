-- RFC 4648 4, for the data files alone.

local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local values = {}
for i = 1, #alphabet do
    values[alphabet:sub(i, i)] = i - 1
end

return function(text)
    local out, bits, count = {}, 0, 0
    for character in text:gmatch("[%w+/]") do
        bits = bits * 64 + values[character]
        count = count + 6
        if count >= 8 then
            count = count - 8
            out[#out + 1] = string.char(math.floor(bits / 2 ^ count))
            bits = bits % 2 ^ count
        end
    end
    return table.concat(out)
end
