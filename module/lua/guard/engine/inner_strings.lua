-- JSON in a value of a query or form, such as ?variables={"file":"..."} of GraphQL.

local decode = require("guard.engine.decode")
local json_strings = require("guard.engine.json_strings")

local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub

-- Returns the index of the first character after the blanks at the start. The blanks may be encoded.
local function skip_blanks(value)
    local at = 1
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
function _M.looks_like_json(value)
    local first = sub(value, 1, 1)
    if not find(first, "^[{%[%% \t\r\n+]") then
        return false
    end
    local at = skip_blanks(value)
    return find(value, "^[{%[]", at) ~= nil or find(value, "^%%[75][bB]", at) ~= nil
end

-- Visits the non-empty strings in JSON values. Decodes each value once, as servers do before they parse JSON.
function _M.visit(values, visit, pause)
    local texts = {}
    for i, value in ipairs(values) do
        pause()
        texts[i] = decode((gsub(value, "+", " ")))
    end
    return json_strings.visit(texts, function(text)
        if text ~= "" then
            return visit(text)
        end
    end, pause)
end

return _M
