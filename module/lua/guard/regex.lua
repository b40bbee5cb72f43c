-- The regex engine of nginx: PCRE or PCRE2 behind ngx.re.

local find = ngx.re.find

local _M = {}

-- Patterns are compiled once per worker. Option u is not set, because an invalid byte would be an error.
local OPTIONS = "jo"
-- Size of the JIT stack. The default of 32 KiB is too small for hostile subjects of several KiB.
local JIT_STACK_BYTES = 1024 * 1024

-- The size must be set before the first pattern is compiled, so it is set when the guard is loaded.
local is_set, failure = pcall(require("ngx.re").opt, "jit_stack_size", JIT_STACK_BYTES)
if not is_set then
    ngx.log(ngx.WARN, "guard: load it before other Lua modules, which have compiled regular expressions; hostile requests ",
        "may now be blocked with the reason limit_regex: ", failure)
end

-- Returns whether the pattern matches, and an error of the engine.
function _M.find(subject, pattern)
    local from, _, err = find(subject, pattern, OPTIONS)
    return from ~= nil, err
end

-- Returns the offset after a match of the pattern, or 0.
function _M.place(subject, pattern)
    local _, to = find(subject, pattern, OPTIONS)
    return to or 0
end

return _M
