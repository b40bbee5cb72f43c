-- The networks of a policy as sorted ranges without overlaps: a preset has hundreds of networks.

local address = require("guard.engine.address")

local band, bor, rshift = bit.band, bit.bor, bit.rshift
local char, sort = string.char, table.sort
local BYTE_BITS, ALL_BITS = 8, 0xFF

local _M = {}

-- Returns an address as a text. Texts are ordered like addresses, and all of IPv4 comes before IPv6.
local function key_of(bytes)
    return char(#bytes, unpack(bytes))
end

local function range_of(network)
    local first, last = {}, {}
    for i, byte in ipairs(network.address) do
        local fixed_bits = math.max(0, math.min(BYTE_BITS, network.length - (i - 1) * BYTE_BITS))
        local host_bits = rshift(ALL_BITS, fixed_bits)
        first[i], last[i] = band(byte, ALL_BITS - host_bits), bor(byte, host_bits)
    end
    return { first = key_of(first), last = key_of(last) }
end

-- Returns the ranges of networks, which are addresses with or without prefix length.
function _M.new(texts)
    local all, ranges = {}, {}
    for i, text in ipairs(texts) do
        all[i] = range_of(assert(address.parse_network(text)))
    end
    sort(all, function(one, other) return one.first < other.first end)
    for _, range in ipairs(all) do
        local before = ranges[#ranges]
        if not before or range.first > before.last then
            ranges[#ranges + 1] = range
        elseif range.last > before.last then
            before.last = range.last
        end
    end
    return ranges
end

-- Whether an address is in one of the ranges.
function _M.contain(ranges, client)
    if not ranges[1] then
        return false
    end
    local key, low, high = key_of(client), 0, #ranges
    while low < high do
        local middle = rshift(low + high + 1, 1)
        if ranges[middle].first <= key then
            low = middle
        else
            high = middle - 1
        end
    end
    return low > 0 and key <= ranges[low].last
end

return _M
