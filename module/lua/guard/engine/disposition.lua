-- The header lines of a part, and every reading of the names in its Content-Disposition lines.

local encoded_words = require("guard.engine.encoded_words")
local parameters = require("guard.engine.parameters")

local find, gmatch, gsub, lower, match, sub =
    string.find, string.gmatch, string.gsub, string.lower, string.match, string.sub

local _M = {}

-- Adds the lines of a head that begin with the pattern `start` to `lines`.
local function add_lines(head, start, lines)
    for line in gmatch(gsub(head, "\r\n", "\n") .. "\n", "(.-)\n") do
        if find(lower(line), start) then
            lines[#lines + 1] = line
        end
    end
    return lines
end

-- Returns all lines that `start` matches: some servers use the first, some the last, and only some join a folded line.
local function header_lines(head, start)
    local lines = add_lines(head, start, {})
    if find(head, "\n[ \t]") then
        add_lines(gsub(head, "\r?\n[ \t]+", " "), start, lines)
    end
    return lines
end

function _M.lines(head)
    return header_lines(head, "^[^!-~]*content%-disposition[^!-~]*:")
end

function _M.types(head)
    return header_lines(head, "^[^!-~]*content%-type[^!-~]*:")
end

function _M.transfer_encodings(head)
    return header_lines(head, "^[^!-~]*content%-transfer%-encoding[^!-~]*:")
end

-- The kinds of names, in the order of inspection.
local kinds = { "name", "filename", "filename*" }

-- Visits a name. For a file name that may contain a folder, also visits filename=<name>, because the rules for uploads
-- match this form.
local function visit_name(name, kind, visit)
    local answer = visit(name)
    if answer == nil and kind ~= "name" and find(name, "[/\\%%\128-\255]") then
        return visit("filename=" .. name)
    end
    return answer
end

-- Visits a value. For an extended value, also visits the text after its character set and language (RFC 8187).
local function visit_value(value, kind, is_extended, visit)
    local answer = visit_name(value, kind, visit)
    local text = answer == nil and is_extended and match(value, "^[^']*'[^']*'(.+)")
    if text then
        return visit_name(text, kind, visit)
    end
    return answer
end

local function visit_readings(line, at, kind, is_extended, visitor)
    local answer = visitor.charge()
    if answer ~= nil then
        return answer
    end
    for _, value in ipairs(encoded_words(parameters(line, at))) do
        answer = visit_value(value, kind, is_extended, visitor.text)
        if answer ~= nil then
            return answer
        end
    end
end

-- Visits parameters of one kind, also inside quotation marks, which some servers ignore.
local function visit_kind(line, lowered, kind, visitor)
    local at = 1
    while true do
        local start, stop, star = find(lowered, "name([*%d]*)[ \t]*=", at)
        if not start then
            return nil
        end
        local is_file = start > 4 and sub(lowered, start - 4, start - 1) == "file"
        local found = is_file and (star == "" and "filename" or "filename*") or "name"
        local answer
        if found == kind then
            answer = visit_readings(line, stop + 1, kind, star ~= "", visitor)
        end
        if answer ~= nil then
            return answer
        end
        at = stop + 1
    end
end

-- Whether `matches` accepts a reading of a name.
function _M.has_name(lines, matches)
    local function text(value) return matches(value) or nil end
    return _M.visit_names(lines, { charge = function() end, text = text }) == true
end

local function is_charset(value)
    return lower(value) == "_charset_"
end

-- Whether the part is the field that names the character set of the form (RFC 7578 4.6).
function _M.is_charset_field(lines)
    return _M.has_name(lines, is_charset)
end

-- Visits names of fields, then of files, then extended names of files, until the visitor returns a value.
function _M.visit_names(lines, visitor)
    for _, kind in ipairs(kinds) do
        for _, line in ipairs(lines) do
            local answer = visit_kind(line, lower(line), kind, visitor)
            if answer ~= nil then
                return answer
            end
        end
    end
end

-- Returns the index after the match of the first pattern that matches at index `at`, or nil.
local function end_of_match(text, at, patterns)
    for _, pattern in ipairs(patterns) do
        local stop = match(text, pattern, at)
        if stop then
            return stop
        end
    end
end

local line_starts = { "^[Cc]ontent%-[Dd]isposition: form%-data()", "^[Cc]ontent%-[Dd]isposition: attachment()" }
local part_names = { '^; *name="[^";=\\]*"()', "^; *name=[%w_.+-]+()" }
local file_names = { '^; +filename="[^\t "\\]"()', '^; +filename="[^\t "\\][^"]*[^"\\]"()', "^; +filename=[%w_.][%w_.+-]*()" }
local extended_names = { "^; *filename%*=[%w_-]+'[%w_-]*'[%w_.%%!~+-]+()" }

-- Whether this is the Content-Disposition line of a file as browsers and libraries send it.
local function is_file_line(line)
    local at = end_of_match(line, 1, line_starts)
    at = at and end_of_match(line, end_of_match(line, at, part_names) or at, file_names)
    at = at and (end_of_match(line, at, part_names) or at)
    at = at and (end_of_match(line, at, extended_names) or at)
    return at == #line + 1
end

-- Whether every server parses the line as one complete header.
local function is_plain_line(line)
    return find(line, "^[%w-]+: [^%c ]") and not find(gsub(line, "\t", " "), "%c")
end

-- Whether every server treats the part as a file. `lines` are the Content-Disposition lines of `head`. Some servers
-- read the content as a field when the file name is unusual.
function _M.is_file(head, lines)
    for _, line in ipairs(lines) do
        if not is_file_line(line) then
            return false
        end
    end
    for line in gmatch(head .. "\r\n", "(.-)\r\n") do
        if not is_plain_line(line) then
            return false
        end
    end
    return lines[1] ~= nil
end

return _M
