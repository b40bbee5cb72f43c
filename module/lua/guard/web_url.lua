-- The parts of the absolute http and https URLs that a policy can have (contract/schema/web-url.ts).

local find, lower, match = string.find, string.lower, string.match
local tonumber = tonumber

local DEFAULT_PORTS = { http = 80, https = 443 }

-- Returns {scheme =, host =, authority =, port =, path =, query =}, or nil when `url` is not such a URL. The authority
-- is host and port as written. An absent path is "", an absent query is nil.
return function(url)
    local scheme, authority, rest = match(url, "^(%a+)://([^/?#]+)([^#]*)")
    scheme = lower(scheme or "")
    if not DEFAULT_PORTS[scheme] then
        return nil
    end
    local host = match(authority, "^%[[^%]]+%]") or match(authority, "^[^:]+")
    local port = match(authority, ":(%d+)$", #host + 1)
    local path, query = match(rest, "^([^?]*)%??(.*)$")
    return {
        scheme = scheme,
        authority = authority,
        host = host,
        port = tonumber(port) or DEFAULT_PORTS[scheme],
        path = path,
        query = find(rest, "?", 1, true) and query or nil,
    }
end
