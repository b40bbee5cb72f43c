-- Parses quantifiers: *, +, ?, {n}, {n,}, {n,m}. A following ? makes each of them lazy.

local cursors = require("guard.pattern.cursor")
local limits = require("guard.tables").limits

local huge, max = math.huge, math.max

local _M = {}

local signs = { ["*"] = { 0, huge }, ["+"] = { 1, huge }, ["?"] = { 0, 1 } }

-- Parses a count. Leading zeros are refused, because RE2 reads a{01} as text.
local function parse_count(digits)
    return (digits == "0" or digits:find("^[1-9]")) and tonumber(digits) or nil
end

local function parse_counts(cursor)
    local at = cursor.at
    local captures = cursors.read_match(cursor, "{(%d+)(,?)(%d*)}()")
    local least = captures and parse_count(captures[1])
    local most = least
    if captures and captures[2] == "," then
        most = captures[3] == "" and huge or parse_count(captures[3])
    elseif captures and captures[3] ~= "" then
        most = nil
    end
    if not least or not most then
        cursors.refuse("bad_quantifier", at)
    elseif (most == huge and least or max(least, most)) > limits.regex_repeat then
        cursors.refuse("large_quantifier", at)
    elseif least > most then
        cursors.refuse("reversed_quantifier", at)
    end
    return { at = at, min = least, max = most }
end

-- Whether a quantifier, well formed or not, begins at the cursor.
function _M.starts(cursor)
    local character = cursors.peek(cursor)
    return character == "{" or signs[character] ~= nil
end

-- Parses the quantifier at the cursor, if there is one.
function _M.parse(cursor)
    if not _M.starts(cursor) then
        return nil
    end
    local sign, quantifier = signs[cursors.peek(cursor)]
    if sign then
        quantifier = { at = cursor.at, min = sign[1], max = sign[2] }
        cursor.at = cursor.at + 1
    else
        quantifier = parse_counts(cursor)
    end
    cursors.skip(cursor, "?") -- laziness does not change whether a text matches
    return quantifier
end

return _M
