-- Parts of a multipart/form-data body (RFC 7578, RFC 2046 5.1).

local bytes = require("guard.engine.bytes")
local content_type = require("guard.engine.content_type")
local disposition = require("guard.engine.disposition")
local exact_form = require("guard.engine.exact_form")
local json_strings = require("guard.engine.json_strings")
local query = require("guard.engine.query")
local transfer_encoding = require("guard.engine.transfer_encoding")
local limits = require("guard.tables").limits

local byte, find, gsub, lower, sub = string.byte, string.find, string.gsub, string.lower, string.sub
local concat = table.concat

local blanks = bytes.set(" \t\r\n")
local CR, LF = 0x0D, 0x0A

-- Returns the index of the last byte before the line end (CRLF, LF or CR) that ends at `stop`, or `stop` when no line
-- ends there.
local function before_line_end(text, from, stop)
    if stop >= from and byte(text, stop) == LF then
        stop = stop - 1
    end
    if stop >= from and byte(text, stop) == CR then
        stop = stop - 1
    end
    return stop
end

-- Splits a body at its delimiters. With `by_lines`, only delimiters at the start of a line count.
local function split_parts(body, delimiter, by_lines)
    local parts, from, at = {}, 1, 1
    while true do
        local start, stop = find(body, delimiter, at, true)
        if not start then
            parts[#parts + 1] = sub(body, from)
            return parts
        end
        local before = start > 1 and byte(body, start - 1)
        if not by_lines or not before or before == LF or before == CR then
            parts[#parts + 1] = sub(body, from, before_line_end(body, from, start - 1))
            from = stop + 1
        end
        at = stop + 1
    end
end

-- Finds the first empty line. Returns the index of the last byte of the head, and the index after the empty line.
local function find_empty_line(text)
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

-- Whether the part names a character set outside of `ascii_charsets`, for itself or for the whole form. ASCII text may
-- then have other bytes.
local function has_unknown_charset(head, lines, content)
    return content_type.has_unknown_charset(disposition.types(head))
        or disposition.is_charset_field(lines) and content_type.is_unknown_charset(bytes.strip(content, blanks))
end

-- Visits the names of one part. The part and each name count as values, because even a short name has many readings.
local function visit_names(lines, visitor)
    local answer = visitor.charge()
    if answer ~= nil then
        return answer
    end
    return disposition.visit_names(lines, visitor)
end

-- Returns what decides how the content of a field is read: the transfer encodings that servers may decode, whether they
-- may read its name as `file`, and whether its Content-Type is JSON.
local function new_field(head, lines, encodings)
    return {
        encodings = encodings,
        is_file = disposition.has_name(lines, query.is_file_key),
        is_json = content_type.mentions_json(lower(concat(disposition.types(head), "\n"))),
    }
end

-- Visits the content of a field, verbatim and decoded, and each of these also behind the key `file`. Adds JSON to
-- `visitor.json`.
local function visit_content(content, field, visitor)
    local most = limits.multipart_content_bytes
    local function visit(text)
        local answer, cut = visitor.value(text, most), sub(text, 1, most)
        if answer == nil and field.is_file then
            answer = visitor.value("file=" .. cut)
        end
        if field.is_json or find(cut, "^[ \t\r\n]*[{%[]") then
            visitor.json[#visitor.json + 1] = cut
        else
            visitor.json[#visitor.json + 1] = json_strings.in_base64(cut)
        end
        return answer
    end
    local answer = visit(content)
    if answer == nil and field.encodings[1] then
        return transfer_encoding.visit(field.encodings, sub(content, 1, most), visit)
    end
    return answer
end

-- Returns the head, its Content-Disposition lines and the content of a part. The content is nil when no empty line ends
-- the head.
local function read_part(part)
    local text = gsub(part, "^[ \t]*\r?\n", "", 1)
    local stop, start = find_empty_line(text)
    local head = stop and sub(text, 1, stop) or text
    return head, disposition.lines(head), start and sub(text, start)
end

-- Visits the names of one part, and its content when it is not a file.
local function visit_exact_part(part, visitor)
    local head, lines, content = read_part(part)
    local answer = visit_names(lines, visitor)
    if answer ~= nil or not content or disposition.is_file(head, lines) then
        return answer
    end
    if has_unknown_charset(head, lines, content) then
        visitor.unknown_charset()
    end
    local encodings = transfer_encoding.named(concat(disposition.transfer_encodings(head), "\n"))
    return visit_content(content, new_field(head, lines, encodings), visitor)
end

-- Visits a part when servers find different parts: a head or a file can also be the content of a field.
local function visit_ambiguous_part(part, encodings, visitor)
    local head, lines, content = read_part(part)
    local answer = visit_names(lines, visitor)
    if answer ~= nil then
        return answer
    end
    if content and has_unknown_charset(head, lines, content) then
        visitor.unknown_charset()
    end
    answer = visitor.value(head, limits.multipart_content_bytes)
    local seen, field = {}, answer == nil and new_field(head, lines, encodings)
    local function visit(text)
        if answer == nil and text and not seen[text] then
            seen[text] = true
            answer = visit_content(text, field, visitor)
        end
    end
    visit(content)
    for _, ending in ipairs({ "\r\n\r\n", "\r\r" }) do -- some servers accept only these as the end of a head
        local _, stop = find(part, ending, 1, true)
        visit(stop and sub(part, stop + 1))
    end
    return answer
end

-- Visits all text of the parts from `first` on. Part 1 is the text before the first delimiter.
local function visit_ambiguous_parts(parts, first, encodings, visitor)
    local answer
    if first == 1 then
        answer = visitor.value(parts[1], limits.multipart_content_bytes)
        first = 2
    end
    for i = first, #parts do
        if answer ~= nil then
            return answer
        end
        answer = visit_ambiguous_part(parts[i], encodings, visitor)
    end
    return answer
end

-- Visits the parts of an exact form. After an ambiguous head, visits all text: servers find the end of that head in
-- different places.
local function visit_exact_form(parts, body, visitor)
    for i = 2, #parts do
        local answer
        if not exact_form.has_head(parts[i], i == #parts) then
            answer = visit_ambiguous_parts(parts, i, transfer_encoding.named(body), visitor)
            if answer ~= nil then
                return answer
            end
            return visitor.value(body)
        end
        answer = visit_exact_part(parts[i], visitor)
        if answer ~= nil then
            return answer
        end
    end
end

local _M = {}

function _M.has_parts(body, boundary)
    return find(body, "--" .. boundary, 1, true) ~= nil
end

-- Visits the parts. Where servers find different parts, visits all text up to three times: split by the lines that begin
-- with the delimiter, split by each delimiter, and as a whole.
local function visit_parts(body, boundary, visitor)
    local delimiter, is_any = "--" .. boundary, boundary == content_type.ANY_BOUNDARY
    local form = not is_any and exact_form.form(body, delimiter)
    if form then
        return visit_exact_form(split_parts(form, delimiter), body, visitor)
    end
    local lines, encodings = split_parts(body, delimiter, true), transfer_encoding.named(body)
    local answer = visit_ambiguous_parts(lines, 1, encodings, visitor)
    if answer == nil and not is_any then
        local parts = split_parts(body, delimiter)
        if #parts > #lines then
            answer = visit_ambiguous_parts(parts, 1, encodings, visitor)
        end
    end
    if answer == nil then
        return visitor.value(body)
    end
    return answer
end

-- Visits every value until the visitor returns a value: those of the parts, then the strings of JSON in their contents.
function _M.visit(body, boundary, visitor)
    if not _M.has_parts(body, boundary) then
        return nil
    end
    visitor.json = {}
    local answer = visit_parts(body, boundary, visitor)
    if answer ~= nil then
        return answer
    end
    return json_strings.visit(visitor.json, visitor.value, visitor.pause)
end

return _M
