-- Multipart forms in which every server finds the same parts.

local bytes = require("guard.engine.bytes")

local find, sub = string.find, string.sub
local blanks = bytes.set(" \t\r\n")

-- Returns how many times a text occurs, counted from left to right without overlap.
local function count(text, part)
    local found, at = 0, 1
    while true do
        local _, stop = find(text, part, at, true)
        if not stop then
            return found
        end
        found, at = found + 1, stop + 1
    end
end

-- Returns the text without this ending, or nil when it does not end with it.
local function without_end(text, ending)
    return sub(text, -#ending) == ending and sub(text, 1, -#ending - 1) or nil
end

-- Whether CRLF follows each delimiter. Comparing the number of delimiters with the number of delimiters before CRLF is
-- not enough: with the boundary "-", the line "----" has the counted delimiter in its first three dashes, and CRLF
-- after its last three.
local function are_ended(form, delimiter)
    local _, stop = find(form, delimiter, 1, true)
    while stop do
        if sub(form, stop + 1, stop + 2) ~= "\r\n" then
            return false
        end
        _, stop = find(form, delimiter, stop + 1, true)
    end
    return true
end

local _M = {}

-- Returns a form without its last delimiter if every server finds the same boundary lines in it, otherwise nil.
function _M.form(body, delimiter)
    local text = bytes.strip_end(body, blanks)
    local before = without_end(text, delimiter .. "--") or without_end(text, delimiter .. "-") or without_end(text, delimiter)
    local form = before or body
    local starts, all = count(form, "\r\n" .. delimiter), count(form, delimiter)
    if sub(form, 1, #delimiter) == delimiter then
        starts = starts + 1
    end
    if starts ~= all or not are_ended(form, delimiter) then
        return nil
    elseif not before or form == "" then
        return form
    end
    return without_end(form, "\r\n")
end

-- Whether all servers find the same head. The body may end inside of the last head.
function _M.has_head(part, is_last)
    local start = find(part, "\r\n\r\n", 1, true)
    if not start and not is_last then
        return false
    end
    local head = start and sub(part, 1, start - 1) or without_end(part, "\r") or part
    local ends = count(head, "\r\n")
    return ends == count(head, "\r") and ends == count(head, "\n")
end

return _M
