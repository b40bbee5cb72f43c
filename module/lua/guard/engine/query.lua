-- Inspects the keys and values of a query string.

local bytes = require("guard.engine.bytes")
local decode = require("guard.engine.decode")
local inner_strings = require("guard.engine.inner_strings")
local plain = require("guard.engine.plain")
local view = require("guard.engine.view")
local limits = require("guard.tables").limits

local byte, find, gsub, match, sub = string.byte, string.find, string.gsub, string.match, string.sub

local _M = {}

-- The bytes with which a key that `is_file_key` accepts can begin.
_M.file_key_starts = bytes.set("fF%+ []")
local ends_file = bytes.set("[]\0")

-- Whether some server reads a key as `file`. PHP drops blanks before it and what follows a NUL, PHP, Rack and qs read
-- file[] and file[x], Rack and qs [file], and keys of ASP.NET have no case.
function _M.is_file_key(key)
    if not _M.file_key_starts[byte(key)] then
        return false
    end
    key = decode(key)
    local stop = match(key, "^[+ %[%]]*[fF][iI][lL][eE]()")
    return stop ~= nil and (stop > #key or ends_file[byte(key, stop)] == true)
end

-- Calls `visit` with the key and the value. A part without = is one value. For the key `file`, also calls it with the
-- whole pair: rules match words there that are harmless in other values. Stops when `visit` returns a value.
function _M.pair_values(part, visit)
    local mark = find(part, "=", 1, true)
    if not mark then
        return visit(part)
    end
    local key, value = sub(part, 1, mark - 1), sub(part, mark + 1)
    local answer = visit(key)
    if answer == nil then
        answer = visit(value)
    end
    if answer == nil and _M.is_file_key(key) then
        return visit("file=" .. value)
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
    return _M.inspect_pairs(name, query, budget, count, inspect)
end

-- Like `inspect`, for a query of any length.
function _M.inspect_pairs(name, query, budget, count, inspect)
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
        inner_strings.add(value, inner)
        return inspect_value(value)
    end
    local verdict = _M.each_pair(query, function(pair)
        return charge() or _M.pair_values(pair, visit)
    end)
    return verdict or inner_strings.visit(inner, function(text)
        return not plain.is_word(text) and charge() or inspect_value(text)
    end, budget.pause)
end

return _M
