-- Exceptions of a policy: rules that are off for some hosts, clients and paths.

local client_address = require("guard.engine.client_address")
local host_name = require("guard.engine.host_name")
local networks = require("guard.engine.networks")

local lower, sub = string.lower, string.sub

local function matches_host(hosts, host)
    if #hosts == 0 then
        return true
    end
    for _, pattern in ipairs(hosts) do
        pattern = lower(pattern)
        local suffix = sub(pattern, 1, 2) == "*." and sub(pattern, 2)
        if host == pattern or (suffix and sub(host, -#suffix) == suffix) then
            return true
        end
    end
    return false
end

local function covers(exception, paths, find)
    for _, path in ipairs(paths) do
        if path.limit then
            return false
        end
        for _, candidate in ipairs(path.candidates) do
            if not find(candidate, exception.path) then
                return false
            end
        end
    end
    return true
end

-- Returns the ids of the rules that exceptions disable for a request.
local function disabled_rules(compiled, request, paths)
    local off, host, clients = {}, host_name(request.host or ""), compiled.exception_clients
    local client = next(clients) and client_address.find(request, compiled.trusted_proxies)
    for i, exception in ipairs(compiled.policy.exceptions) do
        local is_client = not clients[i] or client and networks.contain(clients[i], client)
        if is_client and matches_host(exception.hosts, host) and covers(exception, paths, compiled.find) then
            for _, id in ipairs(exception.rules) do
                off[id] = true
            end
        end
    end
    return off
end

-- Returns a function that reports whether a block rule is off, or nil when none can be off. An exception applies when
-- its hosts, its clients and its path match: the path must match every path candidate, and no path may have reached a
-- limit. Exceptions are evaluated when the first rule blocks.
return function(compiled, request, paths)
    local excused = request.excused
    if #compiled.policy.exceptions == 0 and not excused then
        return nil
    end
    local off
    return function(rule)
        off = off or disabled_rules(compiled, request, paths)
        return off[rule.id] or excused and excused[rule.id]
    end
end
