-- Parses client addresses and networks: IPv4 without leading zeros or short forms, IPv6 without zone. An IPv4-mapped
-- address is IPv4 (RFC 4291 2.2 and 2.5.5.2). An address is the list of its 4 or 16 bytes.

local byte, find, gmatch, match, sub = string.byte, string.find, string.gmatch, string.match, string.sub
local band, rshift = bit.band, bit.rshift
local concat, format = table.concat, string.format
local tonumber = tonumber

local _M = {}

local GROUPS = 8

local function parse_quad(text)
    local octets = { match(text, "^(%d+)%.(%d+)%.(%d+)%.(%d+)$") }
    if #octets ~= 4 then
        return nil
    end
    for i, octet in ipairs(octets) do
        if #octet > 3 or (#octet > 1 and byte(octet) == 0x30) or tonumber(octet) > 255 then
            return nil
        end
        octets[i] = tonumber(octet)
    end
    return octets
end

-- Parses the 16-bit groups of one side of "::". A dotted quad may replace the last two groups of the address.
local function parse_groups(text, is_last)
    local groups = {}
    if text == "" then
        return groups
    end
    for part, stop in gmatch(text .. ":", "([^:]*):()") do
        local quad = is_last and stop > #text and parse_quad(part)
        if quad then
            groups[#groups + 1] = quad[1] * 256 + quad[2]
            groups[#groups + 1] = quad[3] * 256 + quad[4]
        elseif find(part, "^%x%x?%x?%x?$") then
            groups[#groups + 1] = tonumber(part, 16)
        else
            return nil
        end
    end
    return groups
end

local function is_mapped(address)
    for i = 1, 10 do
        if address[i] ~= 0 then
            return false
        end
    end
    return address[11] == 255 and address[12] == 255
end

local function to_bytes(groups)
    local address = {}
    for i, group in ipairs(groups) do
        address[2 * i - 1], address[2 * i] = rshift(group, 8), band(group, 255)
    end
    return address
end

local function parse_ipv6(text)
    local gap = find(text, "::", 1, true)
    if gap and find(text, "::", gap + 1, true) then
        return nil
    end
    local groups = parse_groups(gap and sub(text, 1, gap - 1) or text, not gap)
    local tail = parse_groups(gap and sub(text, gap + 2) or "", true)
    if not groups or not tail then
        return nil
    end
    local missing = GROUPS - #groups - #tail
    if gap and missing < 1 or not gap and missing ~= 0 then
        return nil
    end
    for _ = 1, missing do
        groups[#groups + 1] = 0
    end
    for _, group in ipairs(tail) do
        groups[#groups + 1] = group
    end
    return to_bytes(groups)
end

-- Parses an address. Returns nil when `text` is not one.
function _M.parse(text)
    local quad = parse_quad(text)
    if quad or not find(text, ":", 1, true) then
        return quad
    end
    local address = parse_ipv6(text)
    if address and is_mapped(address) then
        return { address[13], address[14], address[15], address[16] }
    end
    return address
end

-- Parses an address with or without prefix length: {address =, length =}. Returns nil when `text` is neither.
function _M.parse_network(text)
    local host, bits = match(text, "^([^/]*)/?(.*)$")
    local address = _M.parse(host)
    if not address then
        return nil
    end
    if host == text then
        return { address = address, length = #address * 8 }
    end
    if not find(bits, "^%d%d?%d?$") or (#bits > 1 and byte(bits) == 0x30) then
        return nil
    end
    local length = tonumber(bits)
    if #address == 4 and find(host, ":", 1, true) then
        length = length - 96
    end
    if length < 0 or length > #address * 8 then
        return nil
    end
    return { address = address, length = length }
end

-- Returns the start and the length of the longest run of zero groups. A run of one group does not count (RFC 5952 4.2).
local function longest_gap(groups)
    local start, length, at = nil, 1, 1
    while at <= GROUPS do
        local behind = at
        while groups[behind] == 0 do
            behind = behind + 1
        end
        if behind - at > length then
            start, length = at, behind - at
        end
        at = behind + 1
    end
    return start, length
end

local function join_groups(groups, first, last)
    local parts = {}
    for i = first, last do
        parts[#parts + 1] = format("%x", groups[i])
    end
    return concat(parts, ":")
end

-- Returns the canonical text of an address: a dotted quad, or IPv6 in the form of RFC 5952.
function _M.text(address)
    if #address == 4 then
        return concat(address, ".")
    end
    local groups = {}
    for i = 1, GROUPS do
        groups[i] = address[2 * i - 1] * 256 + address[2 * i]
    end
    local start, length = longest_gap(groups)
    if not start then
        return join_groups(groups, 1, GROUPS)
    end
    return join_groups(groups, 1, start - 1) .. "::" .. join_groups(groups, start + length, GROUPS)
end

-- Parses an entry of X-Forwarded-For: address, IPv4:port, [address] or [address]:port.
function _M.forwarded(entry)
    local inner = match(entry, "^%[([^%]]*)%]$") or match(entry, "^%[([^%]]*)%]:%d%d?%d?%d?%d?$")
        or match(entry, "^([%d.]+):%d%d?%d?%d?%d?$")
    return _M.parse(inner or entry)
end

return _M
