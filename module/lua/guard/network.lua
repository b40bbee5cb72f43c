-- Returns the network that identifies a client: its IPv4 or translated address, or a network of its IPv6 address.

local address = require("guard.engine.address")
local limits = require("guard.tables").limits

local IPV4_BYTES, IPV6_BYTES, BYTE_BITS = 4, 16, 8

-- Whether an IPv6 address contains the IPv4 address of a client behind a translator (NAT64).
local function is_translated(bytes)
    return ((bytes[1] * 256 + bytes[2]) * 256 + bytes[3]) * 256 + bytes[4] == limits.translated_bits
end

-- Returns the text of the network (RFC 5952). `bits` is the length for IPv6. Other texts stay unchanged.
return function(client, bits)
    local bytes = client and address.parse(client)
    if not bytes then
        return client or ""
    elseif #bytes == IPV4_BYTES or is_translated(bytes) then
        return address.text(bytes)
    end
    for i = bits / BYTE_BITS + 1, IPV6_BYTES do
        bytes[i] = 0
    end
    return address.text(bytes) .. "/" .. bits
end
