-- Transfer encodings of parts of a multipart form (RFC 2045 6), which some servers decode.

local base64 = require("guard.engine.base64")
local bytes = require("guard.engine.bytes")

local char, find, gsub, lower, match, sub = string.char, string.find, string.gsub, string.lower, string.match, string.sub
local concat = table.concat

local _M = {}

local line_blanks = bytes.set(" \t")

local names = { "quoted-printable", "base64" }

-- Returns the encodings whose name occurs anywhere in the text.
function _M.named(text)
    local list, lowered = {}, lower(text)
    for _, name in ipairs(names) do
        if find(lowered, name, 1, true) then
            list[#list + 1] = name
        end
    end
    return list
end

-- Decodes =HH.
function _M.with_quoted_bytes(text)
    return (gsub(text, "=(%x%x)", function(digits) return char(tonumber(digits, 16)) end))
end

-- Decodes quoted-printable. Ignores blanks at the end of a line and soft line breaks. Everything except =HH is literal.
local function from_quoted_printable(text)
    text = gsub(text, "([ \t]+)(\r?\n?)", function(blanks, stop)
        return find(stop, "\n", 1, true) and stop or blanks .. stop
    end)
    text = gsub(gsub(bytes.strip_end(text, line_blanks), "=$", ""), "=\r?\n", "")
    return _M.with_quoted_bytes(text)
end

-- Returns the base64 characters that Python decodes. Python drops a stray =, and stops at a = that completes a group of
-- four characters.
local function python_groups(code)
    local list, fills = {}, 0
    for i = 1, #code do
        local letter = sub(code, i, i)
        if letter ~= "=" then
            list[#list + 1], fills = letter, 0
        else
            fills = fills + 1
            if #list % 4 >= 2 and #list % 4 + fills >= 4 then
                break
            end
        end
    end
    return concat(list)
end

-- Visits two readings of base64: the text up to the first =, and what Python decodes.
local function visit_base64(text, visit)
    local code = gsub(text, "[^%w+/=]+", "")
    local plain, other = match(code, "^[^=]*"), python_groups(code)
    local answer = visit(base64.decode(plain))
    if answer == nil and other ~= plain then
        return visit(base64.decode(other))
    end
    return answer
end

-- Visits the readings of a text in these encodings until the visitor returns a value.
function _M.visit(encodings, text, visit)
    for _, name in ipairs(encodings) do
        local answer
        if name == "base64" then
            answer = visit_base64(text, visit)
        else
            answer = visit(from_quoted_printable(text))
        end
        if answer ~= nil then
            return answer
        end
    end
end

return _M
