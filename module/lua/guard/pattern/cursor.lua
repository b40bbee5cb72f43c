-- The parser's position in a pattern, and its error.

local refusals = require("guard.policy.tables").refusals

local match, sub = string.match, string.sub

local _M = {}

function _M.new(source)
    return { source = source, at = 1, depth = 0, added = 0, ignore_case = false }
end

-- Ends the parsing with a table as the error. The entry point of the parser catches it. `at` counts from 1.
function _M.refuse(name, at)
    error({ reason = refusals[name], offset = at - 1 }, 0)
end

-- Returns the character at the cursor, or the empty string at the end.
function _M.peek(cursor)
    return sub(cursor.source, cursor.at, cursor.at)
end

function _M.looks_at(cursor, text)
    return sub(cursor.source, cursor.at, cursor.at + #text - 1) == text
end

-- Advances past `text` if it is next, and returns whether it was.
function _M.skip(cursor, text)
    if not _M.looks_at(cursor, text) then
        return false
    end
    cursor.at = cursor.at + #text
    return true
end

-- Matches a Lua pattern at the cursor, advances past the match and returns its captures. Returns nil without a match.
-- The pattern must end in ().
function _M.read_match(cursor, pattern)
    local captures = { match(cursor.source, "^" .. pattern, cursor.at) }
    if #captures == 0 then
        return nil
    end
    cursor.at = captures[#captures]
    return captures
end

return _M
