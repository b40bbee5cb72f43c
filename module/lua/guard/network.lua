-- The network that a client counts as: its IPv4 address, or the /64 of its IPv6 address.

local address = require("guard.engine.address")

local IPV4_BYTES, PREFIX_BYTES, IPV6_BYTES = 4, 8, 16

-- Canonical text of the network (RFC 5952). A text that is not an address stays unchanged, and nil becomes "".
return function(client)
    local bytes = client and address.parse(client)
    if not bytes then
        return client or ""
    elseif #bytes == IPV4_BYTES then
        return address.text(bytes)
    end
    for i = PREFIX_BYTES + 1, IPV6_BYTES do
        bytes[i] = 0
    end
    return address.text(bytes) .. "/64"
end
