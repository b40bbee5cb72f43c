-- Returns the client of a request as text, or nil when the peer has no address. Behind a trusted proxy, X-Forwarded-For
-- names the client.

local address = require("guard.engine.address")
local client_address = require("guard.engine.client_address")

return function(guard, request)
    local client = client_address.find(request, guard.compiled.trusted_proxies)
    return client and address.text(client)
end
