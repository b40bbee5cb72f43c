-- The client address of a request behind proxies.

local address = require("guard.engine.address")
local bytes = require("guard.engine.bytes")
local header_lines = require("guard.engine.header_lines")
local contain = require("guard.engine.networks").contain

local concat, gmatch = table.concat, string.gmatch
local blanks = bytes.set(" \t")

local _M = {}

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
    if not client or not contain(trusted, client) then
        return client
    end
    local entries = forwarded_entries(request)
    for i = #entries, 1, -1 do
        local previous = address.forwarded(entries[i])
        if not previous then
            return client
        end
        client = previous
        if not contain(trusted, client) then
            return client
        end
    end
    return client
end

return _M
