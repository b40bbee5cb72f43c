-- The network that a client counts as: its IPv4 address, or a network of its IPv6 address.

local address = require("guard.engine.address")

local IPV4_BYTES, IPV6_BYTES, BYTE_BITS = 4, 16, 8

-- Canonical text of the network (RFC 5952). `bits` is the length of IPv6 networks: whole bytes. A text that is not an
-- address stays unchanged, and nil becomes "".
return function(client, bits)
    local bytes = client and address.parse(client)
    if not bytes then
        return client or ""
    elseif #bytes == IPV4_BYTES then
        return address.text(bytes)
    end
    for i = bits / BYTE_BITS + 1, IPV6_BYTES do
        bytes[i] = 0
    end
    return address.text(bytes) .. "/" .. bits
end
