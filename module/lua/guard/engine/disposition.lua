-- Headers of a part, and the names in its Content-Disposition lines, in each way that some server reads them.

local parameters = require("guard.engine.parameters")

local find, gmatch, gsub, lower, match, sub =
    string.find, string.gmatch, string.gsub, string.lower, string.match, string.sub

local _M = {}

-- Adds the lines of a head with this start to `lines`.
local function add_lines(head, start, lines)
    for line in gmatch(gsub(head, "\r\n", "\n") .. "\n", "(.-)\n") do
        if find(lower(line), start) then
            lines[#lines + 1] = line
        end
    end
    return lines
end

-- Every line of a head with this start. Servers use the first or the last, and only some join a folded line.
local function header_lines(head, start)
    local lines = add_lines(head, start, {})
    if find(head, "\n[ \t]") then
        add_lines(gsub(head, "\r?\n[ \t]+", " "), start, lines)
    end
    return lines
end

function _M.lines(head)
    return header_lines(head, "^content%-disposition[ \t]*:")
end

function _M.types(head)
    return header_lines(head, "^content%-type[ \t]*:")
end

function _M.transfer_encodings(head)
    return header_lines(head, "^content%-transfer%-encoding[ \t]*:")
end

-- In the order in which they are inspected.
local kinds = { "name", "filename", "filename*" }

-- Calls `visit` with a value and, when it is extended, with the text after its character set and language (RFC 8187).
local function visit_value(value, is_extended, visit)
    local answer = visit(value)
    local text = answer == nil and is_extended and match(value, "^[^']*'[^']*'(.+)")
    if text then
        return visit(text)
    end
    return answer
end

-- Visits each reading of the value after `at`.
local function visit_readings(line, at, is_extended, visitor)
    local answer = visitor.charge()
    if answer ~= nil then
        return answer
    end
    for _, value in ipairs(parameters(line, at)) do
        answer = visit_value(value, is_extended, visitor.text)
        if answer ~= nil then
            return answer
        end
    end
end

-- Values of each parameter of one kind, wherever it occurs, because some servers ignore quotation marks.
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
            answer = visit_readings(line, stop + 1, star ~= "", visitor)
        end
        if answer ~= nil then
            return answer
        end
        at = stop + 1
    end
end

local function is_charset(value)
    return lower(value) == "_charset_" or nil
end

-- Whether the part is the field in which a form names the character set of its parts (RFC 7578 4.6).
function _M.is_charset_field(lines)
    return _M.visit_names(lines, { charge = function() end, text = is_charset }) == true
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

local function is_file(line)
    if find(line, '\\"', 1, true) then
        return false
    end
    local bare = lower(gsub(line .. ";", '([^*])="([^"]?)[^"]*"[ \t]*;', "%1=%2;"))
    bare = gsub(bare, "%*=[%w_-]*'[%w_-]*'", "*=")
    return find(bare, ";[ \t]*filename=[^; \t]") ~= nil
        and not find(bare, "[\"'\\]")
        and not find(bare, ";[ \t]*filename[*%d]*[ \t]*=%s*;")
end

-- Whether every server takes the part with these lines for a file: each line has a non-empty file name, and no
-- quotation mark or backslash in a place that servers read in different ways. The content of all other parts is
-- inspected.
function _M.are_files(lines)
    for _, line in ipairs(lines) do
        if not is_file(line) then
            return false
        end
    end
    return lines[1] ~= nil
end

return _M
