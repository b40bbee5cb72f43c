-- Scans the values of XML. This is not a parser, because parsers differ in the bodies that they refuse.

local bytes = require("guard.engine.bytes")
local xml_elements = require("guard.engine.xml_elements")
local xml_references = require("guard.engine.xml_references")
local ascii_charsets = require("guard.tables").ascii_charsets

local byte, find, gsub, lower, match, sub = string.byte, string.find, string.gsub, string.lower, string.match, string.sub
local concat = table.concat

local blanks = xml_elements.blanks
local dereferenced = xml_references.dereferenced

-- Whether an XML declaration names an encoding outside of `ascii_charsets`: ASCII text may then have other bytes.
local function has_unknown_encoding(instruction)
    local name = find(instruction, "^xml") and match(instruction, "encoding[ \t\r\n]*=[ \t\r\n]*[\"']([^\"']*)")
    return name and not ascii_charsets[lower(name)]
end

local sections = {
    { "<!--", "-->", is_ambiguous = function(inside) return find(inside, "--", 1, true) end },
    { "<?", "?>", is_ambiguous = has_unknown_encoding },
    { "<![CDATA[", "]]>", text = function(inside) return (gsub(inside, "&", "&amp;")) end },
}

-- Returns the index after a section at `at`, the text of a CDATA section, and whether every parser reads the section
-- alike. Returns nothing when no section begins at `at`.
local function section_at(body, at)
    for _, section in ipairs(sections) do
        local open, close = section[1], section[2]
        if sub(body, at, at + #open - 1) == open then
            local found = find(body, close, at + #open, true)
            local inside = sub(body, at + #open, (found or #body + 1) - 1)
            local is_ambiguous = section.is_ambiguous and section.is_ambiguous(inside)
            local text = section.text and section.text(inside) or ""
            return found and found + #close or #body + 1, text, found ~= nil and not is_ambiguous
        end
    end
end

-- Visits the values in a tag, and the literals of a declaration: servers read the file that an external entity names.
-- The next tag ends a declaration, so its internal subset is scanned like any other text.
-- Returns the index after the tag, whether every parser reads it alike, and the result of the visitor.
local function visit_tag(body, at, literals, visit)
    local is_declaration = byte(body, at + 1) == 0x21
    local is_clear = not is_declaration and find(body, "^[^ \t\r\n<>\"'=]", at + 1) ~= nil
    local from = at + 1
    while true do
        local stop = find(body, "[\"'<>]", from)
        local mark = stop and sub(body, stop, stop)
        if not stop then
            return #body + 1, false
        elseif mark == "<" then
            return stop, false
        end
        local outside = sub(body, from, stop - 1)
        if mark == ">" then
            return stop + 1, is_clear and not find(outside, "=", 1, true)
        end
        is_clear = is_clear and find(outside, "^[^=]*=[ \t\r\n]*$") ~= nil
        local close = find(body, mark, stop + 1, true)
        local value = sub(body, stop + 1, (close or #body + 1) - 1)
        if is_declaration then
            literals[#literals + 1] = value
        end
        local answer = visit(bytes.strip(value, blanks))
        if answer ~= nil or not close then
            return #body + 1, false, answer
        end
        from = close + 1
    end
end

local function add_tag(elements, tag)
    if sub(tag, 1, 2) == "</" then
        elements:finish_one()
    elseif sub(tag, 1, 2) ~= "<!" and sub(tag, -2) ~= "/>" then
        elements:start()
    end
end

-- Visits values without blanks at their ends, before references are decoded. Adds texts and tags to `elements`, and
-- literals of declarations to `literals`. Returns the result of the visitor, and whether every parser reads the body
-- alike.
local function scan(body, elements, literals, visit, pause)
    local at = sub(body, 1, 3) == "\239\187\191" and 4 or 1
    local is_clear = not find(body, "\0", 1, true) and find(body, "^[ \t\r\n]*<", at) ~= nil
    local texts, open = {}, find(body, "<", at, true)
    while open do
        pause()
        texts[#texts + 1] = sub(body, at, open - 1)
        local stop, text, is_unambiguous = section_at(body, open)
        if stop then
            texts[#texts + 1] = text
        else
            local whole = concat(texts)
            texts = {}
            elements:text(whole)
            local answer = visit(bytes.strip(whole, blanks))
            if answer == nil then
                stop, is_unambiguous, answer = visit_tag(body, open, literals, visit)
            end
            if answer ~= nil then
                return answer, false
            end
            add_tag(elements, sub(body, open, stop - 1))
        end
        is_clear = is_clear and is_unambiguous
        at, open = stop, find(body, "<", stop, true)
    end
    texts[#texts + 1] = sub(body, at)
    local whole = concat(texts)
    elements:text(whole)
    return visit(bytes.strip(whole, blanks)), is_clear
end

local _M = {}

-- Whether every parser finds the same values. A document type, or a reference to another entity, can change the values.
function _M.is_xml(body, pause)
    local answer, is_clear = scan(body, xml_elements.new(), {}, function(raw)
        if xml_references.has_other(raw) then
            return false
        end
    end, pause)
    return answer == nil and is_clear
end

-- Visits attribute values, literals and texts, then texts in literals, then joined texts.
function _M.visit(body, visit, pause)
    local elements, literals = xml_elements.new(), {}
    local answer = scan(body, elements, literals, function(raw) return visit(dereferenced(raw), false) end, pause)
    if answer ~= nil then
        return answer
    end
    for _, literal in ipairs(literals) do
        answer = xml_references.visit_inner_texts(literal, visit, pause)
        if answer ~= nil then
            return answer
        end
    end
    elements:finish(pause)
    for i, raw in ipairs(elements.joined) do
        answer = visit(dereferenced(raw), elements.is_cut and i == #elements.joined)
        if answer ~= nil then
            return answer
        end
    end
end

return _M
