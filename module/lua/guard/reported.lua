-- Remembers which requests were reported. nginx runs the rewrite phase again when it redirects a request internally, as
-- try_files and error_page do, and forgets all that was kept with the request; only a request that goes on can be
-- reported twice.

local var = ngx.var

-- Requests that are remembered at least; each stands in one of two tables, of which the older one is dropped.
local GENERATION = 1024

local recent, older, count = {}, {}, 0

-- Whether the current request was reported before; from now on it was.
return function()
    local key = var.connection .. ":" .. var.connection_requests .. ":" .. ngx.req.start_time()
    if recent[key] or older[key] then
        return true
    end
    if count == GENERATION then
        recent, older, count = {}, recent, 0
    end
    recent[key], count = true, count + 1
    return false
end
