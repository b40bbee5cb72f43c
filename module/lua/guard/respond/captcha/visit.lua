-- The values that a challenge is bound to: the client, the host, and the path to return to.

local limits = require("guard.tables").limits
local network_of = require("guard.network")

local find, gsub, lower, sub = string.find, string.gsub, string.lower, string.sub

local _M = {}

local NETWORK_BITS = 64 -- prefix length of the network of an IPv6 address
local MAX_HOST_BYTES = 255 -- longer hosts are invalid (RFC 1035 2.3.4) and are cut

local function without_port(host)
    if sub(host, -1) == "]" then
        return host
    end
    return (gsub(host, ":[^:]*$", ""))
end

-- Keeps two hosts that are joined with a space: one of them alone could be the host of another request.
local function normal_host(host)
    if find(host, " ", 1, true) then
        return lower(host)
    end
    return sub(lower(without_port(host)), 1, MAX_HOST_BYTES)
end

-- Returns network and host of a request. `client` is nil when it has no address.
function _M.new(client, host)
    return { network = network_of(client, NETWORK_BITS), host = normal_host(host) }
end

-- Returns a path of the same origin. Browsers read // and /\ at the start as another host.
function _M.return_path(target)
    local path = gsub(target, "^[/\\]+", "")
    if path == target or #path >= limits.captcha_return_bytes or find(path, "[%z\1-\31\127]") then
        return "/"
    end
    return "/" .. path
end

return _M
