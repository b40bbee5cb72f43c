-- Derives the values of decoys, which differ between clients.

local hmac = require("guard.hmac")
local texts = require("guard.texts")

local byte, char, concat, sub = string.byte, string.char, table.concat, string.sub

-- Returns HMAC-SHA-256 over the parts, each ended by a zero byte, and the block number as four bytes.
local function digest(secret, address, label, block)
    local number = char(0, 0, math.floor(block / 256), block % 256)
    return hmac.sha256(secret, "decoy\0" .. address .. "\0" .. label .. "\0" .. number)
end

-- Returns `n` characters of an alphabet. Without the secret they look random. They depend only on the client's address
-- and the label. To find the client that received a leaked value, compute it for the addresses in the event log.
return function(secret, address, label, alphabet, n)
    local characters = texts.alphabets[alphabet]
    local out, block = {}, 0
    while #out < n do
        local bytes = digest(secret, address, label, block)
        for i = 1, #bytes do
            local at = byte(bytes, i) % #characters + 1
            out[#out + 1] = sub(characters, at, at)
        end
        block = block + 1
    end
    return concat(out, "", 1, n)
end
