-- Returns the client of a request as text: the peer, or the address that a trusted proxy forwarded. Returns nil when
-- the peer has no address.

local address = require("guard.engine.address")
local client_address = require("guard.engine.client_address")

return function(guard, request)
    local client = client_address.find(request, guard.compiled.trusted_proxies)
    return client and address.text(client)
end
