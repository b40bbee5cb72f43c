-- The network that a client counts as: its IPv4 address, or the /64 that one IPv6 customer has.

local address = require("guard.engine.address")

local format = string.format

local IPV6_PREFIX_BYTES = 8

-- Text of the network; "" for a client without an address.
return function(client)
    local bytes = client and address.parse(client)
    if not bytes then
        return ""
    end
    if #bytes == 4 then
        return table.concat(bytes, ".")
    end
    local groups = {}
    for i = 1, IPV6_PREFIX_BYTES, 2 do
        groups[#groups + 1] = format("%x", bytes[i] * 256 + bytes[i + 1])
    end
    return table.concat(groups, ":") .. "::/64"
end
