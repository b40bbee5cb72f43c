-- The ways to read a body. Servers disagree on repeated Content-Types, so every possible kind is inspected.

local parameters = require("guard.engine.parameters")
local tables = require("guard.tables")

local find, gmatch, lower, match, sub = string.find, string.gmatch, string.lower, string.match, string.sub

local concat = table.concat
local ascii_charsets, limits = tables.ascii_charsets, tables.limits

local _M = {}

-- The kind of a body that some servers read as JSON. It is inspected as JSON only if it looks like JSON.
local MAYBE_JSON = "maybe_json"

-- With this boundary, every line that begins with -- is a boundary line. It covers every boundary that some server
-- could use.
_M.ANY_BOUNDARY = ""

-- Whether a body of this type can be an endless stream. The guard does not read such a body: it would wait for the end.
local function is_stream(name)
    return find(name, "^application/grpc") or find(name, "^application/connect%+")
end

-- Returns the kind of a media type, or nil for a type that is not inspected. Symfony and Undertow read every type with
-- the prefix of a form type as a form. Rails also reads jsonrequest, x-json and x-xml.
local function kind_of(name)
    if name == "" or name == "text/plain" then
        return "any"
    elseif find(name, "^application/x%-www%-form%-urlencoded") then
        return "form"
    elseif find(name, "/jsonrequest$") then
        return "json"
    end
    return match(name, "[/+](json)$") or match(name, "/x%-(json)$") or match(name, "[/+](xml)$") or match(name, "/x%-(xml)$")
        or match(name, "^(multipart)/")
end

-- Whether some server reads a type as JSON. Laravel finds JSON even in a parameter, and Jackson reads JavaScript as
-- JSON.
function _M.mentions_json(member)
    return find(member, "[/+]json") or find(member, "/javascript", 1, true) or find(member, "/x-javascript", 1, true)
end

-- Whether the lines are too long to parse. The body is then read as every kind, with ANY_BOUNDARY.
local function are_too_long(lines)
    return #concat(lines, ",") > limits.content_type_bytes
end

-- Returns the kinds of body in order of first mention. Splits a line at each comma, because some servers ignore
-- quotation marks around commas.
function _M.kinds(lines)
    if are_too_long(lines) then
        return { "form", "json", "xml", "multipart" }
    end
    local list, known = {}, {}
    local function add(kind)
        if kind and not known[kind] then
            known[kind] = true
            list[#list + 1] = kind
        end
    end
    for _, line in ipairs(lines[1] and lines or { "" }) do
        for member in gmatch(lower(line) .. ",", "([^,]*),") do
            local name = match(member, "^%s*([^;%s]*)")
            if not is_stream(name) then
                add(kind_of(name))
                add(_M.mentions_json(member) and MAYBE_JSON)
            end
        end
    end
    return list
end

local byte_order_marks = { "\239\187\191", "\254\255", "\255\254" }

-- Guesses "json", "xml" or nil from the first character. Skips NULs: some servers detect UTF-16 and UTF-32.
local function guess(body)
    local at = sub(body, 1, 2) == "\0\0" and 3 or 1
    for _, mark in ipairs(byte_order_marks) do
        if sub(body, at, at + #mark - 1) == mark then
            at = at + #mark
            break
        end
    end
    local first = match(body, '^[%z \t\r\n]*([%[{"<])', at)
    return first and (first == "<" and "xml" or "json")
end

-- Returns the kinds of a body. For "any", guesses JSON and XML by the first character, and a form by the characters
-- before the first equals sign. For MAYBE_JSON, guesses only JSON.
local function kinds_for(name, body)
    if name ~= "any" and name ~= MAYBE_JSON then
        return { name }
    end
    local first = guess(body)
    local list = { (name == "any" or first == "json") and first or nil }
    if name == "any" and find(body, "^[ \t\r\n]*[!#-&(-;?-z|~]*=") then
        list[#list + 1] = "form"
    end
    return list
end

-- Returns the kinds that a body is read as, each once, and the set of the kinds that its type names.
function _M.resolve(named, body)
    local list, known, is_named = {}, {}, {}
    for _, name in ipairs(named) do
        is_named[name] = true
        for _, kind in ipairs(kinds_for(name, body)) do
            if not known[kind] then
                known[kind] = true
                list[#list + 1] = kind
            end
        end
    end
    return list, is_named
end

-- Returns the distinct values that servers may read from a parameter. Also finds the parameter inside other names, as
-- PHP does. Returns nil for a split or encoded value (RFC 2231), and for more than limits.multipart_boundaries values.
local function parameter_values(lines, parameter, keeps_marks)
    local list, known = {}, {}
    for _, line in ipairs(lines) do
        local lowered = lower(line)
        local name = find(lowered, parameter, 1, true)
        local equals = name and find(lowered, "=", name, true)
        while equals do
            if find(sub(lowered, name, equals), "*", 1, true) then
                return nil
            end
            for _, value in ipairs(parameters(line, equals + 1, keeps_marks)) do
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

-- Returns the possible boundaries, or ANY_BOUNDARY when a server could use one that is not in the list.
function _M.boundaries(lines)
    local list = not are_too_long(lines) and parameter_values(lines, "boundary", true) or {}
    for _, value in ipairs(list) do
        if #value > limits.multipart_boundary_bytes then
            return { _M.ANY_BOUNDARY }
        end
    end
    return list[1] and list or { _M.ANY_BOUNDARY }
end

-- Whether a character set is not one of `ascii_charsets`: ASCII text may then have other bytes.
function _M.is_unknown_charset(name)
    return not ascii_charsets[lower(name)]
end

-- Whether the Content-Type lines name a character set outside of `ascii_charsets`. Also true when the lines are too
-- long or ambiguous to parse.
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
