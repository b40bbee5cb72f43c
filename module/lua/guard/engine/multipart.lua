-- Parts of a multipart/form-data body (RFC 7578, RFC 2046 5.1).

local bytes = require("guard.engine.bytes")
local content_type = require("guard.engine.content_type")
local disposition = require("guard.engine.disposition")
local limits = require("guard.tables").limits

local byte, find, gsub, sub = string.byte, string.find, string.gsub, string.sub

local blanks = bytes.set(" \t\r\n")
local CR, LF = 0x0D, 0x0A

-- Start of the line end (CRLF or LF) right before `at` and not before `from`, or nil where there is none.
local function line_end_before(body, at, from)
    if at - 1 < from or byte(body, at - 1) ~= LF then
        return nil
    end
    return at - 2 >= from and byte(body, at - 2) == CR and at - 2 or at - 1
end

-- The next boundary line from `from`: the index where it starts with its line end, and the index after it.
local function next_boundary(body, mark, from)
    local at = from
    while true do
        local start, stop = find(body, mark, at, true)
        if not start then
            return nil
        end
        local before = start == 1 and 1 or line_end_before(body, start, from)
        if before then
            return before, stop + 1
        end
        at = start + 1
    end
end

-- The first empty line: the index where the head ends, and the index after the line.
local function empty_line(text)
    local _, stop = find(text, "^\r?\n")
    if stop then
        return 0, stop + 1
    end
    local at = 1
    while true do
        local first = find(text, "\n", at, true)
        if not first then
            return nil
        end
        local _, second = find(text, "^\r?\n", first + 1)
        if second then
            return byte(text, first - 1) == CR and first - 2 or first - 1, second + 1
        end
        at = first + 1
    end
end

-- Whether some server reads a part, or all parts, in a character set in which ASCII text has other bytes.
local function has_unknown_charset(head, lines, content)
    return content_type.has_unknown_charset(disposition.types(head))
        or disposition.is_charset_field(lines) and content_type.is_unknown_charset(bytes.strip(content, blanks))
end

-- Names of one part, and its content when it is not a file. With ANY_BOUNDARY, the apparent head or file may be the
-- content of a field. The part and each name count, because their readings cost more than their bytes.
local function visit_part(part, boundary, visitor)
    part = gsub(part, "^[ \t]*\r?\n", "", 1)
    local stop, start = empty_line(part)
    local head = stop and sub(part, 1, stop) or part
    local lines = disposition.lines(head)
    local is_any = boundary == content_type.ANY_BOUNDARY
    local answer = visitor.charge()
    if answer == nil then
        answer = disposition.visit_names(lines, visitor)
    end
    local content = start and (is_any or not disposition.are_files(lines)) and sub(part, start)
    if answer == nil and content and has_unknown_charset(head, lines, content) then
        visitor.unknown_charset()
    end
    if answer == nil and is_any then
        answer = visitor.value(head, limits.multipart_content_bytes)
    end
    if answer == nil and content then
        return visitor.value(content, limits.multipart_content_bytes)
    end
    return answer
end

local _M = {}

-- Whether the body has a boundary line.
function _M.has_parts(body, boundary)
    return next_boundary(body, "--" .. boundary, 1) ~= nil
end

-- Visits every value until the visitor returns a value. A missing end is the end of the body.
function _M.visit(body, boundary, visitor)
    local mark = "--" .. boundary
    local _, start = next_boundary(body, mark, 1)
    while start and (boundary == content_type.ANY_BOUNDARY or sub(body, start, start + 1) ~= "--") do
        local stop, behind = next_boundary(body, mark, start)
        local answer = visit_part(sub(body, start, (stop or #body + 1) - 1), boundary, visitor)
        if answer ~= nil then
            return answer
        end
        start = behind
    end
end

return _M
