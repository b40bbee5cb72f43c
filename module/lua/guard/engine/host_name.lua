-- Returns the name in a Host header or :authority, in lower case. Returns the empty string for other hosts, such as an
-- IPv6 address: servers read such hosts in different ways, so no exception that names hosts applies to them.

local find, gsub, lower = string.find, string.gsub, string.lower

return function(host)
    local name = gsub(gsub(host, ":%d*$", ""), "%.$", "")
    return find(name, "[^%w_.-]") and "" or lower(name)
end
