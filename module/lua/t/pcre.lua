-- Calls the regex libraries of nginx through FFI, without nginx: PCRE 8 (Debian's Lua module) and PCRE2 (newer ones).

local ffi = require("ffi")

ffi.cdef([[
typedef struct pcre pcre;
typedef struct pcre_extra pcre_extra;
pcre *pcre_compile(const char *, int, const char **, int *, const unsigned char *);
pcre_extra *pcre_study(const pcre *, int, const char **);
typedef struct pcre_jit_stack pcre_jit_stack;
pcre_jit_stack *pcre_jit_stack_alloc(int, int);
void pcre_assign_jit_stack(pcre_extra *, void *, void *);
int pcre_exec(const pcre *, const pcre_extra *, const char *, int, int, int, int *, int);

typedef struct pcre2_code pcre2_code;
typedef struct pcre2_match_data pcre2_match_data;
pcre2_code *pcre2_compile_8(const char *, size_t, uint32_t, int *, size_t *, void *);
pcre2_match_data *pcre2_match_data_create_from_pattern_8(const pcre2_code *, void *);
int pcre2_match_8(const pcre2_code *, const char *, size_t, size_t, uint32_t, pcre2_match_data *, void *);
]])

local NO_MATCH = -1

-- As in nginx, PCRE compiles patterns to machine code, with the stack size that guard.regex sets. PCRE2 interprets
-- patterns here.
local PCRE_STUDY_JIT_COMPILE = 1
local JIT_STACK_BYTES = 2 ^ 20

local jit_stack

local function compile_pcre(library, pattern)
    local message, offset = ffi.new("const char *[1]"), ffi.new("int[1]")
    local code = library.pcre_compile(pattern, 0, message, offset, nil)
    if code == nil then
        return nil, ffi.string(message[0])
    end
    local extra = library.pcre_study(code, PCRE_STUDY_JIT_COMPILE, message)
    if extra ~= nil then
        jit_stack = jit_stack or library.pcre_jit_stack_alloc(32768, JIT_STACK_BYTES)
        library.pcre_assign_jit_stack(extra, nil, jit_stack)
    end
    local vector = ffi.new("int[3]")
    return function(subject)
        local status = library.pcre_exec(code, extra, subject, #subject, 0, 0, vector, 3)
        if status == NO_MATCH then
            return false
        end
        return status >= 0, status < 0 and "pcre error " .. status or nil
    end
end

local function compile_pcre2(library, pattern)
    local number, offset = ffi.new("int[1]"), ffi.new("size_t[1]")
    local code = library.pcre2_compile_8(pattern, #pattern, 0, number, offset, nil)
    if code == nil then
        return nil, "error " .. number[0]
    end
    local data = library.pcre2_match_data_create_from_pattern_8(code, nil)
    return function(subject)
        local status = library.pcre2_match_8(code, subject, #subject, 0, 0, data, nil)
        if status == NO_MATCH then
            return false
        end
        return status >= 0, status < 0 and "pcre2 error " .. status or nil
    end
end

-- The libraries and their files. A machine may lack some of them.
local engines = {
    { name = "PCRE", file = "libpcre.so.3", compile = compile_pcre },
    { name = "PCRE2", file = "libpcre2-8.so.0", compile = compile_pcre2 },
}

-- Returns a `find(subject, pattern)` that compiles each pattern once.
local function finder(engine, library)
    local compiled = {}
    return function(subject, pattern)
        local match = compiled[pattern]
        if not match then
            match = assert(engine.compile(library, pattern))
            compiled[pattern] = match
        end
        return match(subject)
    end
end

-- Returns the engines of this machine: a list of {name =, find =}.
return function()
    local found = {}
    for _, engine in ipairs(engines) do
        local ok, library = pcall(ffi.load, engine.file)
        if ok then
            found[#found + 1] = { name = engine.name, find = finder(engine, library) }
        end
    end
    return found
end
