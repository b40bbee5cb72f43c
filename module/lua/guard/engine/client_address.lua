-- The client address of a request behind proxies.

local address = require("guard.engine.address")
local bytes = require("guard.engine.bytes")
local header_lines = require("guard.engine.header_lines")

local concat, gmatch = table.concat, string.gmatch
local blanks = bytes.set(" \t")

local _M = {}

function _M.is_within(client, networks)
    for _, network in ipairs(networks) do
        if address.contains(network, client) then
            return true
        end
    end
    return false
end

local function forwarded_entries(request)
    local entries = {}
    for entry in gmatch(concat(header_lines(request.headers, "x-forwarded-for", request.pause), ",") .. ",", "([^,]*),") do
        entries[#entries + 1] = bytes.strip(entry, blanks)
    end
    return entries
end

-- Returns the peer or, behind trusted proxies, the right-most untrusted address in X-Forwarded-For. A client can forge
-- everything left of it. When all addresses up to a malformed entry or the start of the list are trusted, returns the
-- left-most of them. Returns nil for a peer without an address.
function _M.find(request, trusted)
    local client = request.ip and address.parse(request.ip)
    if not client or not _M.is_within(client, trusted) then
        return client
    end
    local entries = forwarded_entries(request)
    for i = #entries, 1, -1 do
        local previous = address.forwarded(entries[i])
        if not previous then
            return client
        end
        client = previous
        if not _M.is_within(client, trusted) then
            return client
        end
    end
    return client
end

return _M
