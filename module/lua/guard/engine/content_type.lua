-- How a body can be read. Servers disagree on a Content-Type that is repeated or is a list: some use the first line,
-- some the last, and some join the lines. Each kind that one of them can use is therefore inspected.

local parameters = require("guard.engine.parameters")
local tables = require("guard.tables")

local find, gmatch, lower, match, sub = string.find, string.gmatch, string.lower, string.match, string.sub

local concat = table.concat
local ascii_charsets, limits = tables.ascii_charsets, tables.limits

local _M = {}

-- Makes every line that begins with -- a boundary line. This covers each line that some server takes for one.
_M.ANY_BOUNDARY = ""

-- "any" is a body that some servers read as what it looks like.
local kinds = {
    [""] = "any",
    ["text/plain"] = "any",
    ["application/x-www-form-urlencoded"] = "form",
}

-- The bytes of streams may never come: no host waits for them.
local function kind_of(name)
    if find(name, "^application/grpc") or find(name, "^application/connect%+") then
        return nil
    end
    return kinds[name] or match(name, "[/+](json)$") or match(name, "[/+](xml)$") or match(name, "^(multipart)/")
end

-- Whether the lines are too long to be read. The body is then of every kind, with ANY_BOUNDARY.
local function are_too_long(lines)
    return #concat(lines, ",") > limits.content_type_bytes
end

-- Kinds of body that Content-Type lines name, each once in order of first mention. Commas in quotation marks also separate, because some servers
-- ignore the marks.
function _M.kinds(lines)
    if are_too_long(lines) then
        return { "form", "json", "xml", "multipart" }
    end
    local list, known = {}, {}
    for _, line in ipairs(lines[1] and lines or { "" }) do
        for member in gmatch(line .. ",", "([^,]*),") do
            local kind = kind_of(lower(match(member, "^%s*([^;%s]*)")))
            if kind and not known[kind] then
                known[kind] = true
                list[#list + 1] = kind
            end
        end
    end
    return list
end

-- What a body looks like: JSON by its first character, a form by printable ASCII before the first equals sign.
local function guesses(body)
    local list = {}
    if find(sub(body, 1, 3) == "\239\187\191" and sub(body, 4) or body, '^[ \t\r\n]*[%[{"]') then
        list[1] = "json"
    end
    if find(body, "^[ \t\r\n]*[!#-&(-;?-z|~]*=") then
        list[#list + 1] = "form"
    end
    return list
end

-- The kinds in which a body is read, each once, and a set of those that its type names.
function _M.resolve(named, body)
    local list, known, is_named = {}, {}, {}
    for _, name in ipairs(named) do
        is_named[name] = true
        for _, kind in ipairs(name == "any" and guesses(body) or { name }) do
            if not known[kind] then
                known[kind] = true
                list[#list + 1] = kind
            end
        end
    end
    return list, is_named
end

-- The distinct readings of a parameter, wherever its name occurs: PHP finds it inside other names and quoted text. Nil
-- where a value is in pieces (RFC 2231), or where there are more readings than a multipart form can have boundaries.
local function parameter_values(lines, parameter, keeps_quotes)
    local list, known = {}, {}
    for _, line in ipairs(lines) do
        local lowered = lower(line)
        local name = find(lowered, parameter, 1, true)
        local equals = name and find(lowered, "=", name, true)
        while equals do
            if find(sub(lowered, name, equals), "*", 1, true) then
                return nil
            end
            for _, value in ipairs(parameters(line, equals + 1, keeps_quotes)) do
                if not known[value] then
                    known[value] = true
                    list[#list + 1] = value
                end
            end
            if #list > limits.multipart_boundaries then
                return nil
            end
            name = find(lowered, parameter, equals + 1, true)
            equals = name and find(lowered, "=", name, true)
        end
    end
    return list
end

-- ANY_BOUNDARY when a server could use a boundary that is not in the list.
function _M.boundaries(lines)
    local list = not are_too_long(lines) and parameter_values(lines, "boundary", true) or {}
    for _, value in ipairs(list) do
        if #value > limits.multipart_boundary_bytes then
            return { _M.ANY_BOUNDARY }
        end
    end
    return list[1] and list or { _M.ANY_BOUNDARY }
end

-- Whether ASCII text has other bytes in a character set, as far as is known.
function _M.is_unknown_charset(name)
    return not ascii_charsets[lower(name)]
end

-- Whether some server reads the content of Content-Type lines in a character set in which ASCII text has other bytes.
function _M.has_unknown_charset(lines)
    local names = not are_too_long(lines) and parameter_values(lines, "charset", false)
    for _, name in ipairs(names or {}) do
        if _M.is_unknown_charset(name) then
            return true
        end
    end
    return not names
end

return _M
