-- Writes the cookies of a header (RFC 6265 4.2) as pairs of a query, because PHP decodes them like a query.

local bytes = require("guard.engine.bytes")
local limits = require("guard.tables").limits

local byte, char, find, gmatch, gsub, match, sub =
    string.byte, string.char, string.find, string.gmatch, string.gsub, string.match, string.sub
local concat = table.concat

local QUOTE = 0x22
local blanks = bytes.set(" \t")
local escapes = { ["&"] = "%26", [";"] = "%3B" }

local _M = {}

-- Returns the cookies as all servers separate them. Their values keep quotation marks and escapes.
function _M.pairs_of(header)
    return (gsub(gsub(header, "&", "%%26"), ";[ \t]*", "&"))
end

local function unescape(first, others)
    if #others == 2 and find(first, "^[0-3]") then
        return char(tonumber(first .. others, 8))
    end
    return first .. others
end

-- Decodes the escapes of http.cookies of Python, which Django, Tornado, Werkzeug and WebOb share: \056 and \".
local function unescaped(value)
    return (gsub(value, "\\(.)([0-7]?[0-7]?)", unescape))
end

-- Returns the text from an index on before the next quotation mark that is not escaped, or nil.
local function quoted_text(text, from)
    local at = from
    while true do
        at = find(text, '["\\]', at)
        if not at or byte(text, at) == QUOTE then
            return at and sub(text, from, at - 1)
        end
        at = at + 2
    end
end

-- Adds quoted values as SimpleCookie of Python, aiohttp and WebOb find them: a semicolon does not end them.
local function add_quoted(header, add)
    local from = 1
    while true do
        local start, stop = find(header, '=[ \t]*"', from)
        if not start then
            return
        end
        local before = bytes.strip_end(sub(header, from, start - 1), blanks)
        from = stop + 1
        local text = quoted_text(header, from)
        if text and not add(match(before, '^.*[;= \t"](.*)$') or before, text) then
            return
        end
    end
end

-- Adds the other readings of one cookie. Django, Tornado and koa remove quotation marks at both ends only. WebOb decodes
-- escapes outside of quotation marks too. SimpleCookie, aiohttp and WebOb end a cookie at a blank.
local function add_readings(cookie, add)
    local mark = find(cookie, "=", 1, true)
    local value = mark and bytes.strip(sub(cookie, mark + 1), blanks) or ""
    local inner = match(value, '^"(.*)"$') or (find(value, "\\", 1, true) and value)
    if inner and not add(bytes.strip(sub(cookie, 1, mark - 1), blanks), inner) then
        return
    end
    for key, text in gmatch(cookie, '[ \t]([^= \t"]+)[ \t]*=[ \t]*([^ \t"][^ \t]*)') do
        if not add(key, text) then
            return
        end
    end
end

-- Returns the pairs of servers that remove quotation marks, decode escapes or end cookies at blanks, without those of
-- `pairs_of`. More pairs than the limit allows are left out. Returns nil when there are none.
function _M.other_pairs(header)
    if not find(header, '["\\]') and not find(header, "[^; \t][ \t]") then
        return nil
    end
    local known, found = {}, {}
    for pair in bytes.parts(_M.pairs_of(header), "&") do
        known[pair] = true
    end
    local function add_pair(pair)
        if not known[pair] then
            known[pair] = true
            found[#found + 1] = pair
        end
    end
    local function add(key, value)
        add_pair((gsub(key .. "=" .. value, "[&;]", escapes)))
        add_pair((gsub(key .. "=" .. unescaped(value), "[&;]", escapes)))
        return #found <= limits.query_pairs
    end
    add_quoted(header, add)
    for cookie in bytes.parts(header, ";") do
        if #found <= limits.query_pairs then
            add_readings(bytes.strip(cookie, blanks), add)
        end
    end
    return found[1] and concat(found, "&")
end

return _M
