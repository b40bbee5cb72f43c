-- Exceptions of a policy: rules that are off for some hosts and paths.

local host_name = require("guard.engine.host_name")

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
local function disabled_rules(exceptions, request, paths, find)
    local off, host = {}, host_name(request.host or "")
    for _, exception in ipairs(exceptions) do
        if matches_host(exception.hosts, host) and covers(exception, paths, find) then
            for _, id in ipairs(exception.rules) do
                off[id] = true
            end
        end
    end
    return off
end

-- Returns a function that reports whether a block rule is off, or nil when none can be off. An exception applies when
-- its hosts and its path match: the path must match every path candidate, and no path may have reached a limit.
-- Exceptions are evaluated when the first rule blocks.
return function(exceptions, request, paths, find)
    local excused = request.excused
    if #exceptions == 0 and not excused then
        return nil
    end
    local off
    return function(rule)
        off = off or disabled_rules(exceptions, request, paths, find)
        return off[rule.id] or excused and excused[rule.id]
    end
end
