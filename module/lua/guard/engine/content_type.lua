-- How a body can be read. Servers disagree on a Content-Type that is repeated or is a list: some use the first line,
-- some the last, and some join the lines. Each kind that one of them can use is therefore inspected.

local parameters = require("guard.engine.parameters")
local limits = require("guard.tables").limits

local find, gmatch, lower, match, sub = string.find, string.gmatch, string.lower, string.match, string.sub

local concat = table.concat

local _M = {}

-- Makes every line that begins with -- a boundary line. This covers each line that some server takes for one.
_M.ANY_BOUNDARY = ""

local kinds = {
    ["application/x-www-form-urlencoded"] = "form",
    ["application/json"] = "json",
    ["multipart/form-data"] = "multipart",
}

-- Whether the lines are too long to be read. The body is then of every kind, with ANY_BOUNDARY.
local function are_too_long(lines)
    return #concat(lines, ",") > limits.content_type_bytes
end

-- Kinds of body that Content-Type lines name, each once in order of first mention. Commas in quotation marks also separate, because some servers
-- ignore the marks.
function _M.kinds(lines)
    if are_too_long(lines) then
        return { "form", "json", "multipart" }
    end
    local list, known = {}, {}
    for _, line in ipairs(lines) do
        for member in gmatch(line, "[^,]+") do
            local name = lower(match(member, "^%s*([^;%s]*)"))
            local kind = kinds[name] or sub(name, -5) == "+json" and "json"
            if kind and not known[kind] then
                known[kind] = true
                list[#list + 1] = kind
            end
        end
    end
    return list
end

-- Values of the parameter `boundary`, wherever its name occurs: PHP finds it inside other names and quoted text.
-- ANY_BOUNDARY when a server could use a boundary that is not in the list.
function _M.boundaries(lines)
    if are_too_long(lines) then
        return { _M.ANY_BOUNDARY }
    end
    local list, known = {}, {}
    for _, line in ipairs(lines) do
        local lowered = lower(line)
        local name = find(lowered, "boundary", 1, true)
        local equals = name and find(lowered, "=", name, true)
        while equals do
            if find(sub(lowered, name, equals), "*", 1, true) then
                return { _M.ANY_BOUNDARY }
            end
            for _, value in ipairs(parameters(line, equals + 1, true)) do
                if #value > limits.multipart_boundary_bytes then
                    return { _M.ANY_BOUNDARY }
                elseif not known[value] then
                    known[value] = true
                    list[#list + 1] = value
                end
            end
            if #list > limits.multipart_boundaries then
                return { _M.ANY_BOUNDARY }
            end
            name = find(lowered, "boundary", equals + 1, true)
            equals = name and find(lowered, "=", name, true)
        end
    end
    return list[1] and list or { _M.ANY_BOUNDARY }
end

return _M
