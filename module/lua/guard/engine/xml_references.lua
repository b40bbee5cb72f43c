-- Decodes character references in XML. References to other entities stay unchanged.

local bytes = require("guard.engine.bytes")
local xml_elements = require("guard.engine.xml_elements")
local limits = require("guard.tables").limits

local find, gmatch, gsub, match = string.find, string.gmatch, string.gsub, string.match
local tonumber = tonumber

local characters = { lt = "<", gt = ">", amp = "&", apos = "'", quot = '"' }

local _M = {}

-- Returns the character that a reference names. Returns nil for a number that is not a code point, and for other names.
local function character_of(name)
    local decimal = match(name, "^#(%d+)$")
    local hex = match(name, "^#[xX](%x+)$")
    if not decimal and not hex then
        return characters[name]
    end
    local digits = match(decimal or hex, "^0*(.*)$")
    local code_point = digits == "" and 0 or #digits <= 7 and tonumber(digits, decimal and 10 or 16)
    if code_point and code_point <= 0x10FFFF and (code_point < 0xD800 or code_point > 0xDFFF) then
        return bytes.utf8(code_point)
    end
end

function _M.dereferenced(raw)
    return (gsub(raw, "&(#?%w+);", character_of))
end

-- Visits the texts in a literal of a declaration such as <!ENTITY x SYSTEM 'file:///etc/passwd'>. References in it are
-- decoded in as many rounds as URL escapes.
function _M.visit_inner_texts(literal, visit, pause)
    for _ = 1, limits.decode_rounds do
        pause()
        literal = _M.dereferenced(literal)
    end
    if not find(literal, "[\"'<>]") then
        return nil
    end
    for text in gmatch(literal, "[^\"'<>]+") do
        local answer = visit(bytes.strip(text, xml_elements.blanks), false)
        if answer ~= nil then
            return answer
        end
    end
end

-- Whether a text has an ampersand that does not begin a supported reference.
function _M.has_other(raw)
    local known = gsub(raw, "&(#?%w+);", function(name)
        return (characters[name] or find(name, "^#%d+$") or find(name, "^#[xX]%x+$")) and "" or nil
    end)
    return find(known, "&", 1, true) ~= nil
end

return _M
