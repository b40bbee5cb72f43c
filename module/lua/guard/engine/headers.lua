-- Headers that carry a URL, such as X-Original-URL, and cookies.
-- A request's headers are a list of {name, value}, as received.

local bytes = require("guard.engine.bytes")
local cookies = require("guard.engine.cookies")
local header_index = require("guard.engine.header_index")
local query = require("guard.engine.query")
local split = require("guard.engine.split")
local view = require("guard.engine.view")
local limits = require("guard.tables").limits

local find, lower = string.find, string.lower
local blanks = bytes.set(" \t")
local COOKIE = "header:cookie"

local _M = {}

-- Returns the values of a header in received order, the spelling with dashes first, without blanks around them.
function _M.values_of(headers, name, pause)
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

local function inspect_cookies(name, header, budget, count, inspect)
    local verdict, others = query.inspect(name, cookies.pairs_of(header), budget, count, inspect), nil
    if verdict == nil then
        others = cookies.other_pairs(header)
    end
    return others and query.inspect_pairs(name, others, budget, count, inspect) or verdict
end

-- Inspects a header that counts as a path and a query. Exceptions and custom allow rules apply to it by its own path.
local function inspect_url(name, value, check_query, budget, count, inspection)
    local path, rest = split(value)
    local candidates, limit = view(path, limits.header_bytes, budget, true)
    return inspection.within({ { candidates = candidates, limit = limit } }, function(state)
        local verdict = inspection.inspect(name, "path", candidates, limit)
        if verdict == nil and rest and check_query and not state.is_custom_allowed then
            return query.inspect(name, rest, budget, count, inspection.inspect)
        end
        return verdict
    end)
end

local function inspect_value(name, value, check_query, budget, count, inspection)
    count.pairs = count.pairs + 1
    if count.pairs > limits.query_pairs then
        return inspection.inspect(name, "path", {}, "limit_query_pairs")
    elseif #value > limits.header_bytes then
        return inspection.inspect(name, "path", {}, "limit_length")
    elseif name == COOKIE then
        return inspect_cookies(name, value, budget, count, inspection.inspect)
    end
    return inspect_url(name, value, check_query, budget, count, inspection)
end

local function inspect_values(name, values, check_query, budget, count, inspection)
    for _, value in ipairs(values) do
        local verdict
        if value ~= "" then
            verdict = inspect_value(name, value, check_query, budget, count, inspection)
        end
        if verdict then
            return verdict
        end
    end
end

-- Inspects headers. Each value counts like a pair of a query, and all headers share one count. Cookies are not inspected
-- when custom allow rules excused the paths of the request.
function _M.inspect(policy, headers, budget, inspection, is_excused)
    local count = { pairs = 0 }
    for _, listed in ipairs(policy.check_headers) do
        local name, verdict = "header:" .. lower(listed), nil
        if not (is_excused and name == COOKIE) then
            local values = _M.values_of(headers, listed, budget.pause)
            verdict = inspect_values(name, values, policy.check_query, budget, count, inspection)
        end
        if verdict then
            return verdict
        end
    end
end

return _M
