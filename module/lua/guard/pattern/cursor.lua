-- A position in a pattern that is being parsed, and its refusal.

local refusals = require("guard.policy.tables").refusals

local match, sub = string.match, string.sub

local _M = {}

function _M.new(source)
    return { source = source, at = 1, depth = 0, added = 0, ignore_case = false }
end

-- Ends the parsing with a table as the error, which the start of the parsing catches. `at` counts from 1.
function _M.refuse(name, at)
    error({ reason = refusals[name], offset = at - 1 }, 0)
end

-- The character at the cursor, or the empty string at the end.
function _M.peek(cursor)
    return sub(cursor.source, cursor.at, cursor.at)
end

function _M.looks_at(cursor, text)
    return sub(cursor.source, cursor.at, cursor.at + #text - 1) == text
end

-- Skips `text` if it is next.
function _M.take(cursor, text)
    if not _M.looks_at(cursor, text) then
        return false
    end
    cursor.at = cursor.at + #text
    return true
end

-- The captures of a Lua pattern at the cursor, which moves after the match. The pattern ends in ().
function _M.take_match(cursor, pattern)
    local captures = { match(cursor.source, "^" .. pattern, cursor.at) }
    if #captures == 0 then
        return nil
    end
    cursor.at = captures[#captures]
    return captures
end

return _M
