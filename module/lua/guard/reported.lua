-- Records which requests each policy in mode detect has reported. After an internal redirect, such as by try_files or
-- error_page, nginx runs the rewrite phase again without the request's context. The request would be reported twice.

local var = ngx.var

-- Number of requests in one table. A full `recent` replaces `older`, so at least this many of the latest requests stay
-- recorded.
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
