-- Returns the name in a Host header or :authority. The name is in lower case, without port and without the final dot of
-- the DNS root, which means the same host. Returns the empty string for everything that is not a name, such as an IPv6
-- address: servers read such hosts in different ways, so no exception applies to them.

local find, gsub, lower = string.find, string.gsub, string.lower

return function(host)
    local name = gsub(gsub(host, ":%d*$", ""), "%.$", "")
    return find(name, "[^%w_.-]") and "" or lower(name)
end
