-- Headers that carry a URL, such as X-Original-URL, and cookies.
-- A request's headers are a list of {name, value}, as received.

local bytes = require("guard.engine.bytes")
local header_index = require("guard.engine.header_index")
local query = require("guard.engine.query")
local split = require("guard.engine.split")
local view = require("guard.engine.view")
local limits = require("guard.tables").limits

local find, gsub, lower = string.find, string.gsub, string.lower
local blanks = bytes.set(" \t")

local _M = {}

-- Returns the values of a header in received order, the spelling with dashes first, without blanks around them.
local function values_of(headers, name, pause)
    local exact, other = {}, {}
    for _, header in ipairs(header_index.of(headers, pause)[header_index.normalize(name)] or {}) do
        local list = find(header[1], "_", 1, true) and other or exact
        list[#list + 1] = bytes.strip(header[2], blanks)
    end
    for _, value in ipairs(other) do
        exact[#exact + 1] = value
    end
    return exact
end

-- Writes cookies (RFC 6265 4.2) as pairs of a query, because PHP decodes them like a query.
local function cookie_pairs(value)
    return (gsub(gsub(value, "&", "%%26"), ";[ \t]*", "&"))
end

local function inspect_value(name, value, check_query, budget, count, inspect)
    count.pairs = count.pairs + 1
    if count.pairs > limits.query_pairs then
        return inspect(name, "path", {}, "limit_query_pairs")
    end
    if #value > limits.header_bytes then
        return inspect(name, "path", {}, "limit_length")
    end
    if name == "header:cookie" then
        return query.inspect(name, cookie_pairs(value), budget, count, inspect)
    end
    local path, rest = split(value)
    local verdict = inspect(name, "path", view(path, limits.header_bytes, budget, true))
    if verdict == nil and rest and check_query then
        verdict = query.inspect(name, rest, budget, count, inspect)
    end
    return verdict
end

-- Inspects headers. Each value counts like a pair of a query, and all headers share one count.
function _M.inspect(names, headers, check_query, budget, inspect)
    local count = { pairs = 0 }
    for _, name in ipairs(names) do
        for _, value in ipairs(values_of(headers, name, budget.pause)) do
            local verdict
            if value ~= "" then
                verdict = inspect_value("header:" .. lower(name), value, check_query, budget, count, inspect)
            end
            if verdict then
                return verdict
            end
        end
    end
end

return _M
