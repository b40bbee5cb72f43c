-- Splits a request target into its parts (RFC 9112 3.2).

local find, match, sub = string.find, string.match, string.sub

-- Returns the index after schemes and authorities. Go also accepts a scheme without an authority and forwards the text
-- after it.
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

-- Returns the path, which is never empty, and the query or nil. "*" stays verbatim.
return function(target)
    local start = find(target, ":", 1, true) and local_start(target) or 1
    local mark = find(target, "?", start, true)
    local path = sub(target, start, mark and mark - 1 or -1)
    return path == "" and "/" or path, mark and sub(target, mark + 1)
end
