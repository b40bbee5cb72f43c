-- JSON in a value of a query or form, such as ?variables={"file":"..."} of GraphQL.

local bytes = require("guard.engine.bytes")
local decode = require("guard.engine.decode")
local json_strings = require("guard.engine.json_strings")

local byte, find, gsub, match = string.byte, string.find, string.gsub, string.match

-- Returns the index behind a letter and a colon, of which each may be encoded, or nil.
local function skip_letter(value, at, letter, code)
    local stop = match(value, "^" .. letter .. "()", at) or match(value, "^%%" .. code .. "()", at)
    return stop and (match(value, "^:()", stop) or match(value, "^%%3[aA]()", stop))
end

-- Returns the index behind what cookie-parser of Express writes before the JSON of a cookie: j:, or s:j: where the cookie is
-- signed.
local function skip_mark(value)
    local at = skip_letter(value, 1, "s", "73") or 1
    return skip_letter(value, at, "j", "6[aA]") or 1
end

-- Returns the index of the first character after the blanks from an index on. The blanks may be encoded.
local function skip_blanks(value, at)
    while true do
        at = match(value, "^[ \t\r\n+]+()", at) or at
        local stop = match(value, "^%%20()", at) or match(value, "^%%0[9aAdD]()", at)
        if not stop then
            return at
        end
        at = stop
    end
end

local _M = {}

-- Whether a value looks like a JSON object or list, even if its first characters are percent-encoded once.
local function looks_like_json(value)
    local at = skip_blanks(value, skip_mark(value))
    return find(value, "^[{%[]", at) ~= nil or find(value, "^%%[75][bB]", at) ~= nil
end

-- The first bytes of values that `looks_like_json` accepts, or that are base64 of JSON.
local can_start = bytes.set("{[% \t\r\n+jseWICD")

-- Adds the JSON in a value to `texts`: decoded once, as servers do before they parse it, or from base64.
function _M.add(value, texts)
    if not can_start[byte(value)] then
        return
    elseif looks_like_json(value) then
        texts[#texts + 1] = decode((gsub(value, "+", " ")))
    else
        texts[#texts + 1] = json_strings.in_base64(decode(value))
    end
end

-- Visits the non-empty strings in JSON texts.
function _M.visit(texts, visit, pause)
    return json_strings.visit(texts, function(text)
        if text ~= "" then
            return visit(text)
        end
    end, pause)
end

return _M
