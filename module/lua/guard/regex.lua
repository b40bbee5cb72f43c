-- The regex engine of nginx: PCRE or PCRE2 behind ngx.re.

local find = ngx.re.find

local _M = {}

-- Compiled once per worker and to machine code. Never u: an invalid byte would be an error.
local OPTIONS = "jo"
-- The default of 32 KiB is too small for hostile subjects of some KiB.
local JIT_STACK_BYTES = 1024 * 1024

-- To be called before the first pattern is compiled, which is when the size can be set.
function _M.prepare()
    local ok, err = pcall(require("ngx.re").opt, "jit_stack_size", JIT_STACK_BYTES)
    if not ok then
        ngx.log(ngx.WARN, "guard: hostile requests may be answered as if they were blocked by limit_regex, because ",
            "another module compiled a regular expression before the guard was loaded: ", err)
    end
end

-- Whether the pattern matches, and an error of the engine.
function _M.find(subject, pattern)
    local from, _, err = find(subject, pattern, OPTIONS)
    return from ~= nil, err
end

return _M
