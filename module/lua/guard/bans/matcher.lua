-- Recognizes banned clients by the peer and the X-Forwarded-For of their requests.

local client_address = require("guard.engine.client_address")
local key_of = require("guard.bans.table").key

local ALL_CLIENTS = 1024 -- clients whose keys are kept: about 200 KB
local LONGEST_FORWARDED = 64 -- bytes of an X-Forwarded-For whose client is kept

-- Returns a function that returns the key of a client in a ban list, or nil without an address.
local function new_keys(trusted)
    local kept, count = {}, 0
    local function find(peer, forwarded)
        local headers = forwarded and { { "x-forwarded-for", forwarded } } or {}
        local client = client_address.find({ ip = peer, headers = headers }, trusted)
        return client and key_of(client)
    end
    return function(peer, forwarded)
        if not peer then
            return nil
        elseif forwarded and #forwarded > LONGEST_FORWARDED then
            return find(peer, forwarded)
        end
        local name = forwarded and peer .. " " .. forwarded or peer
        local key = kept[name]
        if key == nil then
            key = find(peer, forwarded) or false
            if count == ALL_CLIENTS then
                kept, count = {}, 0
            end
            kept[name], count = key, count + 1
        end
        return key or nil
    end
end

-- Returns a function that reports whether the client of a request is in a table. `forwarded`: the lines of X-Forwarded-For,
-- joined; nil for none. `request_of` returns the whole request.
return function(compiled)
    local key_of_client = new_keys(compiled.trusted_proxies)
    local function is_allowed(request)
        local client = client_address.find(request, compiled.trusted_proxies)
        return client_address.is_within(client, compiled.allowed_ips)
    end
    return function(table, now, peer, forwarded, request_of)
        local key = key_of_client(peer, forwarded)
        return key and table:has(key, now) and not (compiled.allowed_ips[1] and is_allowed(request_of()))
    end
end
