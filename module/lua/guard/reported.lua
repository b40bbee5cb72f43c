-- Records reported requests: after an internal redirect, nginx runs the rewrite phase again without their context.

local var = ngx.var

-- Number of requests in one table. A full `recent` replaces `older`.
local GENERATION_SIZE = 1024

local recent, older, count = {}, {}, 0

-- Returns whether the policy of this name has already reported the current request. Records it as reported.
return function(name)
    local key = name .. ":" .. var.connection .. ":" .. var.connection_requests .. ":" .. ngx.req.start_time()
    if recent[key] or older[key] then
        return true
    end
    if count == GENERATION_SIZE then
        recent, older, count = {}, recent, 0
    end
    recent[key], count = true, count + 1
    return false
end
