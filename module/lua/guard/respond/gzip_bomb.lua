-- Mode gzip_bomb sends compressed data that inflates to gzip_bomb_mb MiB.

local await_turn = require("guard.respond.pace")
local hold = require("guard.respond.hold")
local send = require("guard.respond.send")

local min = math.min
local band, bxor, rshift, tobit = bit.band, bit.bxor, bit.rshift, bit.tobit
local char, rep = string.char, string.rep

local BLOCKS_AT_ONCE = 16

local MIB = 1024 * 1024

-- One MiB of zeros as a deflate block with dynamic codes (two bits for 258 bytes), and an empty stored block that ends
-- at a byte (RFC 1951 3.2). The blocks refer to no earlier data, so they can be repeated. The Go guards send the same
-- bytes.
local BLOCK = "\236\192\049\001\000\000\000\194\032\251\167\054\196\094\024"
    .. rep("\000", 1015) .. "\064\116\000\000\000\255\255"

-- Header fields: deflate, no name, no time, best compression, unknown system.
local HEADER = "\031\139\008\000\000\000\000\000\002\255"

local LAST_BLOCK = "\001\000\000\255\255" -- the last deflate block: stored and empty
local POLYNOMIAL = tobit(0xEDB88320)
local ONE = tobit(0x80000000)
local BYTE = tobit(0x00800000) -- x^8: the factor for one zero byte

-- Multiplies two polynomials modulo the polynomial of CRC-32. The bits are in reverse order.
local function multiply(a, b)
    local product = 0
    for i = 31, 0, -1 do
        if band(a, bit.lshift(1, i)) ~= 0 then
            product = bxor(product, b)
        end
        b = band(b, 1) ~= 0 and bxor(rshift(b, 1), POLYNOMIAL) or rshift(b, 1)
    end
    return product
end

local function crc_of_zeros(bytes)
    local power, square = ONE, BYTE
    while bytes > 0 do
        if bytes % 2 == 1 then
            power = multiply(power, square)
        end
        square, bytes = multiply(square, square), math.floor(bytes / 2)
    end
    return bxor(multiply(power, -1), -1)
end

local function little_endian(n)
    return char(band(n, 255), band(rshift(n, 8), 255), band(rshift(n, 16), 255), rshift(n, 24))
end

-- Returns the end of a stream of `mib` blocks: the last block, the CRC-32 and the length of the data.
local function trailer_of(mib)
    return LAST_BLOCK .. little_endian(crc_of_zeros(mib * MIB)) .. little_endian(mib * MIB)
end

return function(options)
    local response = options.response
    local mib = response.gzip_bomb_mb
    local trailer = trailer_of(mib)
    local length = #HEADER + mib * #BLOCK + #trailer
    local pieces = BLOCK:rep(BLOCKS_AT_ONCE)
    options.headers["Content-Encoding"] = "gzip"
    return hold.new(response, response.max_response_seconds, function(deadline)
        if not send.send_head(options, response.content_type, length) then
            return true
        end
        local is_taken, left = hold.write(HEADER), mib
        while is_taken and left > 0 do
            local blocks = min(left, BLOCKS_AT_ONCE)
            local bytes = blocks * #BLOCK
            is_taken, left = await_turn(bytes, deadline) and hold.write(pieces:sub(1, bytes)), left - blocks
        end
        return is_taken and left == 0 and hold.write(trailer)
    end)
end
