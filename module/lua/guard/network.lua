-- The network that a client counts as: its IPv4 address, or the /64 of its IPv6 address.

local address = require("guard.engine.address")

local concat, format = table.concat, string.format

local IPV6_PREFIX_BYTES = 8
local IPV4_BYTES = 4

-- Canonical text of the network (RFC 5952). A text that is not an address stays unchanged, and nil becomes "".
return function(client)
    local bytes = client and address.parse(client)
    if not bytes then
        return client or ""
    elseif #bytes == IPV4_BYTES then
        return concat(bytes, ".")
    end
    local groups = {}
    for i = 1, IPV6_PREFIX_BYTES, 2 do
        groups[#groups + 1] = bytes[i] * 256 + bytes[i + 1]
    end
    -- The second half of the address is zeros, so the longest run of zeros is at the end.
    while groups[#groups] == 0 do
        groups[#groups] = nil
    end
    for i, group in ipairs(groups) do
        groups[i] = format("%x", group)
    end
    return concat(groups, ":") .. "::/64"
end
