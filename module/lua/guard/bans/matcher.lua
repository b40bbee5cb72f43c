-- Recognizes banned clients by the peer and the X-Forwarded-For of their requests.

local key_of = require("guard.bans.table").key
local cache = require("guard.cache")
local client_address = require("guard.engine.client_address")
local contain = require("guard.engine.networks").contain

local ALL_CLIENTS = 1024 -- clients whose keys are kept: about 200 KB
local LONGEST_FORWARDED = 64 -- bytes of an X-Forwarded-For whose client is kept
local LONGEST_NAME = 128 -- with the address of the peer

-- Returns a function that reports whether the client of a request is in a table. `now_of` returns seconds since 1970.
-- `forwarded`: the lines of X-Forwarded-For, joined; nil for none. `request_of` returns the whole request.
return function(compiled)
    local trusted = compiled.trusted_proxies
    -- The keys of clients by their peers and X-Forwarded-For; false for those that `searched`, the last table, does not have.
    local kept, searched = cache.new(ALL_CLIENTS, LONGEST_NAME), nil

    local function find(peer, forwarded)
        local headers = forwarded and { { "x-forwarded-for", forwarded } } or {}
        local client = client_address.find({ ip = peer, headers = headers }, trusted)
        return client and key_of(client)
    end

    local function is_allowed(request)
        local client = client_address.find(request, trusted)
        return contain(compiled.allowed_ips, client)
    end

    return function(table, now_of, peer, forwarded, request_of)
        if not peer then
            return false
        elseif table ~= searched then
            cache.forget(kept)
            searched = table
        end
        local name = peer
        if forwarded then
            name = #forwarded <= LONGEST_FORWARDED and peer .. " " .. forwarded
        end
        local key = cache.recall(kept, name)
        if key == false then
            return false
        end
        key = key or find(peer, forwarded)
        local is_listed = key and table:has(key, now_of()) or false
        if name then
            cache.keep(kept, name, is_listed and key)
        end
        return is_listed and not (compiled.allowed_ips[1] and is_allowed(request_of()))
    end
end
