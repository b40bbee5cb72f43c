-- Remembers which requests each policy has reported. nginx runs the rewrite phase again after an internal redirect, as try_files
-- and error_page make, and drops the request's context. Only a request that continues can be reported twice.

local var = ngx.var

-- Minimum number of requests that are remembered. They are in two tables, of which the older one is dropped.
local GENERATION = 1024

local recent, older, count = {}, {}, 0

-- Whether the policy of this name reported the current request before. It counts as reported from now on.
return function(name)
    local key = name .. ":" .. var.connection .. ":" .. var.connection_requests .. ":" .. ngx.req.start_time()
    if recent[key] or older[key] then
        return true
    end
    if count == GENERATION then
        recent, older, count = {}, recent, 0
    end
    recent[key], count = true, count + 1
    return false
end
