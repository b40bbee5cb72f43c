-- Scans strings of any text that looks like JSON. This is not a parser, because parsers differ in the bodies that they
-- refuse.

local base64 = require("guard.engine.base64")
local bytes = require("guard.engine.bytes")

local byte, find, match, sub = string.byte, string.find, string.match, string.sub
local concat, tonumber = table.concat, tonumber

local QUOTE = 0x22

local escapes = {
    ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}

local function unit_at(text, at)
    local digits = match(text, "^\\u(%x%x%x%x)", at)
    return digits and tonumber(digits, 16)
end

-- Decodes the escape at `at`. Returns its text and its length. Unknown escapes and lone surrogates stay unchanged.
local function unescape(text, at)
    local unit = unit_at(text, at)
    if unit and (unit < 0xD800 or unit > 0xDFFF) then
        return bytes.utf8(unit), 6
    elseif unit and unit <= 0xDBFF then
        local low = unit_at(text, at + 6)
        if low and low >= 0xDC00 and low <= 0xDFFF then
            return bytes.utf8(0x10000 + (unit - 0xD800) * 0x400 + (low - 0xDC00)), 12
        end
    end
    local written = sub(text, at, at + 1)
    return escapes[sub(written, 2)] or written, 2
end

local function unescaped(text, pause)
    local at = find(text, "\\", 1, true)
    if not at then
        return text
    end
    local out, from = {}, 1
    while at and at < #text do
        pause()
        local plain, taken = unescape(text, at)
        out[#out + 1] = sub(text, from, at - 1)
        out[#out + 1] = plain
        from = at + taken
        at = find(text, "\\", from, true)
    end
    out[#out + 1] = sub(text, from)
    return concat(out)
end

-- Returns the index of the next unescaped quote from `at` on, or #text + 1.
local function closing_quote(text, at)
    while true do
        at = find(text, '["\\]', at)
        if not at or byte(text, at) == QUOTE then
            return at or #text + 1
        end
        at = at + 2
    end
end

local _M = {}

-- A character that JSON does not allow outside of strings.
local INVALID_OUTSIDE = "[^%[%]{}:, \t\r\n0-9+.eE%-aflnrstu]"

-- The characters that JSON allows outside of strings.
_M.is_outside = {}
for code = 0, 255 do
    _M.is_outside[code] = not find(string.char(code), INVALID_OUTSIDE)
end

-- Whether every parser finds the same strings. With comments, some parsers find strings in other places.
function _M.is_json(text, pause)
    local at = sub(text, 1, 3) == "\239\187\191" and 4 or 1
    while true do
        pause()
        local open = find(text, '"', at, true)
        if find(sub(text, at, (open or 0) - 1), INVALID_OUTSIDE) then
            return false
        elseif not open then
            return true
        end
        at = closing_quote(text, open + 1) + 1
        if at > #text + 1 then
            return false
        end
    end
end

-- Returns the string that opens at an index, without its escapes, and the index of its closing quote, which is #text + 1
-- when it has none.
function _M.string_at(text, open, pause)
    local close = closing_quote(text, open + 1)
    return unescaped(sub(text, open + 1, close - 1), pause), close
end

-- Iterates over all strings: keys and values. The last string may lack its closing quote.
local function each(text, pause)
    local at = 1
    return function()
        local open = find(text, '"', at, true)
        if not open then
            return nil
        end
        local value, close = _M.string_at(text, open, pause)
        at = close + 1
        return value
    end
end

-- A string that a parser can read as an object or list with strings. Up to the first quote it has only what JSON allows
-- there: `[ ] Add ".env"` in a comment is prose.
local INNER_JSON = '^[ \t\r\n]*[{%[][%[%]{}:, \t\r\n0-9+.eE%-aflnrstu]*"'

local graphql_starts = {
    "^[ \t\r\n,]*{[^(]*%(", "^[ \t\r\n,]*query[^{]*{[^(]*%(", "^[ \t\r\n,]*mutation[^{]*{[^(]*%(",
    "^[ \t\r\n,]*subscription[^{]*{[^(]*%(",
}

-- Whether a server of GraphQL can read a string as a document with a string in an argument. Its strings have the escapes of
-- JSON.
local function is_graphql(value)
    local head = match(value, '^([^"]*)"')
    for _, start in ipairs(head and graphql_starts or {}) do
        if find(head, start) then
            return true
        end
    end
    return false
end

-- Returns the JSON in a value that is base64 as a whole, such as a cookie of cookie-session, or nil.
function _M.in_base64(value)
    local text = base64.json_of(value)
    return text and find(text, INNER_JSON) and text or nil
end

-- Returns the text with strings that a string has: JSON, verbatim or in base64, or GraphQL. Otherwise nil.
function _M.inner_of(value)
    return (find(value, INNER_JSON) or is_graphql(value)) and value or _M.in_base64(value)
end

-- Visits the strings of each text until `visit` returns a value. Adds those that are JSON to `inner`, which may be nil.
local function visit_each(texts, visit, pause, inner)
    for _, text in ipairs(texts) do
        for value in each(text, pause) do
            pause()
            if inner then
                inner[#inner + 1] = _M.inner_of(value)
            end
            local answer = visit(value)
            if answer ~= nil then
                return answer
            end
        end
    end
end

-- Visits the strings of JSON texts, then the strings of JSON in these, verbatim or in base64, and of GraphQL. The latter can
-- be JSON again, which is not read. Stops when `visit` returns a value, and returns that.
function _M.visit(texts, visit, pause)
    local inner = {}
    local answer = visit_each(texts, visit, pause, inner)
    if answer ~= nil then
        return answer
    end
    return visit_each(inner, visit, pause)
end

return _M
