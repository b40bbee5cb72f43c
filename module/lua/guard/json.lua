-- A strict JSON parser (RFC 8259) for short responses. Debian's nginx has no JSON module for Lua.

local find, match, sub = string.find, string.match, string.sub
local tonumber = tonumber

local MAX_DEPTH = 32 -- bounds the recursion

-- Represents null, which differs from an absent value.
local NULL = {}

local LITERALS = { ["true"] = true, ["false"] = false, ["null"] = NULL }
local ESCAPES = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function fail(at)
    error({ at = at }, 0)
end

local function skip(text, at)
    return match(text, "^[ \t\r\n]*()", at)
end

-- Decodes an escape. An escaped character outside of ASCII becomes "?": the names and codes that the guard reads are
-- ASCII.
local function unescape(text, at)
    local letter = sub(text, at + 1, at + 1)
    if ESCAPES[letter] then
        return ESCAPES[letter], at + 2
    end
    local code = match(text, "^u(%x%x%x%x)", at + 1) or fail(at)
    code = tonumber(code, 16)
    return code < 128 and string.char(code) or "?", at + 6
end

local function read_string(text, at)
    local out, from = {}, at + 1
    while true do
        local stop = find(text, '["\\%z\1-\31]', from) or fail(from)
        out[#out + 1] = sub(text, from, stop - 1)
        local mark = sub(text, stop, stop)
        if mark == '"' then
            return table.concat(out), stop + 1
        elseif mark ~= "\\" then
            fail(stop)
        end
        out[#out + 1], from = unescape(text, stop)
    end
end

local read_value

-- Calls read(at) for each member up to the closing bracket. Returns the index after it.
local function read_members(text, at, closing, read)
    at = skip(text, at + 1)
    if sub(text, at, at) == closing then
        return at + 1
    end
    while true do
        at = read(at)
        local mark = sub(text, at, at)
        if mark == closing then
            return at + 1
        elseif mark ~= "," then
            fail(at)
        end
        at = at + 1
    end
end

local function read_list(text, at, depth)
    local list = {}
    return list, read_members(text, at, "]", function(from)
        list[#list + 1], from = read_value(text, from, depth)
        return from
    end)
end

local function read_object(text, at, depth)
    local object = {}
    return object, read_members(text, at, "}", function(from)
        from = match(text, '^[ \t\r\n]*()"', from) or fail(from)
        local key, stop = read_string(text, from)
        stop = match(text, "^[ \t\r\n]*:()", stop) or fail(stop)
        object[key], from = read_value(text, stop, depth)
        return from
    end)
end

local function read_scalar(text, at)
    local word = match(text, "^%l+", at)
    if word then
        if LITERALS[word] == nil then
            fail(at)
        end
        return LITERALS[word], at + #word
    end
    local stop = match(text, "^-?[1-9]%d*()", at) or match(text, "^-?0()", at) or fail(at)
    stop = match(text, "^%.%d+()", stop) or stop
    stop = match(text, "^[eE][+-]?%d+()", stop) or stop
    return tonumber(sub(text, at, stop - 1)), stop
end

local readers = { ["{"] = read_object, ["["] = read_list, ['"'] = read_string }

function read_value(text, at, depth)
    if depth > MAX_DEPTH then
        fail(at)
    end
    at = skip(text, at)
    local read = readers[sub(text, at, at)] or read_scalar
    local value, stop = read(text, at, depth + 1)
    return value, skip(text, stop)
end

-- Returns the value of a text, or nil when it is not JSON.
return function(text)
    local ok, value, at = pcall(read_value, text, 1, 1)
    if ok and at == #text + 1 then
        return value
    end
end
