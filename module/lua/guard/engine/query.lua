-- Inspects the keys and values of a query string.

local bytes = require("guard.engine.bytes")
local inner_strings = require("guard.engine.inner_strings")
local plain = require("guard.engine.plain")
local view = require("guard.engine.view")
local limits = require("guard.tables").limits

local find, gsub, sub = string.find, string.gsub, string.sub

local _M = {}

-- Calls `visit` with the key and the value. A part without = is one value. Stops when `visit` returns a value.
function _M.key_and_value(part, visit)
    local mark = find(part, "=", 1, true)
    if not mark then
        return visit(part)
    end
    local answer = visit(sub(part, 1, mark - 1))
    if answer == nil then
        answer = visit(sub(part, mark + 1))
    end
    return answer
end

-- Calls `visit` with the value, and with its reading in a form, where + is a space.
function _M.plus_readings(value, visit)
    local answer = visit(value)
    if answer == nil and find(value, "+", 1, true) then
        answer = visit((gsub(value, "+", " ")))
    end
    return answer
end

local function visit_parts(text, separator, visit)
    for part in bytes.parts(text, separator) do
        local answer = visit(part)
        if answer ~= nil then
            return answer
        end
    end
end

-- Calls `visit` with the parts between &, then with their pieces between ;, as servers of Perl, Python and Rack split
-- them. Stops when `visit` returns a value, and returns that.
function _M.each_pair(query, visit)
    local answer = visit_parts(query, "&", visit)
    if answer ~= nil or not find(query, ";", 1, true) then
        return answer
    end
    return visit_parts(query, "&", function(part)
        if find(part, ";", 1, true) then
            return visit_parts(part, ";", visit)
        end
    end)
end

-- Inspects all pairs, then the strings in values that are JSON. Words in JSON do not count, because a list of names can
-- have thousands. # does not end the query, because servers also parse the text after it.
function _M.inspect(name, query, budget, count, inspect)
    if #query > limits.query_bytes then
        return inspect(name, "query", {}, "limit_length")
    end
    local inner = {}
    local function charge()
        count.pairs = count.pairs + 1
        return count.pairs > limits.query_pairs and inspect(name, "query", {}, "limit_query_pairs") or nil
    end
    local function inspect_value(text)
        return _M.plus_readings(text, function(reading)
            return inspect(name, "query", view(reading, limits.query_bytes, budget))
        end)
    end
    local function visit(value)
        if inner_strings.looks_like_json(value) then
            inner[#inner + 1] = value
        end
        return inspect_value(value)
    end
    local verdict = _M.each_pair(query, function(pair)
        local answer = charge() or _M.key_and_value(pair, visit)
        -- After the key `file`, rules also match words that are harmless in other values, as in file=passwd.
        if answer == nil and sub(pair, 1, 5) == "file=" then
            return inspect_value(pair)
        end
        return answer
    end)
    return verdict or inner_strings.visit(inner, function(text)
        return not plain.is_word(text) and charge() or inspect_value(text)
    end, budget.pause)
end

return _M
