-- The parts of a request target (RFC 9112 3.2).

local find, match, sub = string.find, string.match, string.sub

-- Where the path starts: after scheme and authority of an absolute-form target, which most backends serve whatever the
-- host is. Go also accepts a scheme without an authority and passes on what follows.
local function local_start(target)
    local start = 1
    repeat
        local behind = match(target, "^%a[%w+.-]*:()", start)
        if behind then
            start = match(target, "^//[^/?#\\]*()", behind) or behind
        end
    until not behind
    return start
end

-- Path, never empty, and query: the text after the first ?, nil without one. "*" and a path without a leading slash
-- are paths verbatim.
return function(target)
    local start = find(target, ":", 1, true) and local_start(target) or 1
    local mark = find(target, "?", start, true)
    local path = sub(target, start, mark and mark - 1 or -1)
    return path == "" and "/" or path, mark and sub(target, mark + 1)
end
