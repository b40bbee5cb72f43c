-- The regex engine of nginx: PCRE or PCRE2 behind ngx.re.

local find = ngx.re.find

local _M = {}

-- Compiled once per worker and to machine code. Never u: an invalid byte would be an error.
local OPTIONS = "jo"
-- The default of 32 KiB is too small for hostile subjects of some KiB.
local JIT_STACK_BYTES = 1024 * 1024

-- The size can be set until the first pattern is compiled: when the guard is loaded, not later.
local is_set, failure = pcall(require("ngx.re").opt, "jit_stack_size", JIT_STACK_BYTES)
if not is_set then
    ngx.log(ngx.WARN, "guard: load it before other Lua modules, which have compiled regular expressions; hostile requests ",
        "may now be blocked with the reason limit_regex: ", failure)
end

-- Whether the pattern matches, and an error of the engine.
function _M.find(subject, pattern)
    local from, _, err = find(subject, pattern, OPTIONS)
    return from ~= nil, err
end

-- An offset behind a match of a pattern that matches, or 0.
function _M.place(subject, pattern)
    local _, to = find(subject, pattern, OPTIONS)
    return to or 0
end

return _M
