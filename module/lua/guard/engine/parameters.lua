-- Returns every reading of a parameter's value (RFC 9110 5.6.6), because servers parse values differently.

local bytes = require("guard.engine.bytes")
local limits = require("guard.tables").limits

local byte, find, gsub, match, sub = string.byte, string.find, string.gsub, string.match, string.sub
local min = math.min

local BACKSLASH, SEMICOLON = 0x5C, 0x3B
local blanks = bytes.set(" \t\n\v\f\r")

-- Returns the text before the next unescaped `quote`, or the whole text.
local function quoted(text, quote)
    local at = 1
    while at <= #text and byte(text, at) ~= quote do
        at = byte(text, at) == BACKSLASH and at + 2 or at + 1
    end
    return sub(text, 1, at - 1)
end

-- Returns the distinct readings of the value at `at`. With `keeps_marks`, also returns readings that keep the quotation
-- marks or the blanks before the value.
return function(text, at, keeps_marks)
    -- Searches for the end of the value before copying, and copies at most limits.body_value_bytes, because a hostile
    -- line can have 100,000 values.
    local last = min(#text, at + limits.body_value_bytes - 1)
    local start = match(text, "^[ \t]*()", at)
    local readings, known = {}, {}
    local function add(reading)
        if not known[reading] then
            known[reading] = true
            readings[#readings + 1] = reading
        end
    end
    local mark = start <= last and match(text, "^[\"']", start)
    local close = mark and find(text, mark, start + 1, true)
    if close and close > last then
        close = nil
    end
    if mark then
        -- Servers differ in the escapes that they decode, so each variant is a reading.
        local plain = sub(text, start + 1, close and close - 1 or last)
        if not find(plain, "\\", 1, true) then
            add(plain)
        else
            local value = quoted(sub(text, start + 1, last), byte(mark))
            add((gsub(value, '\\(["\\])', "%1")))
            add((gsub(value, "\\(.)", "%1")))
            add(plain)
        end
    end
    local behind = mark == '"' and close and match(text, "^[ \t]*()", close + 1)
    local is_plain = behind and (behind > last or byte(text, behind) == SEMICOLON)
    if keeps_marks or not is_plain then
        -- Some servers end an unquoted value at a blank, some at a comma, some only at a semicolon.
        local stop = find(text, ";", start, true)
        local whole = sub(text, start, stop and min(stop - 1, last) or last)
        if mark ~= '"' then
            add(match(whole, '^[^"%s]*'))
        end
        add(bytes.strip(match(whole, "^[^,]*"), blanks))
        add(bytes.strip(whole, blanks))
    end
    if keeps_marks then
        local stop = find(text, "[,;]", at)
        add(sub(text, at, stop and min(stop - 1, last) or last))
    end
    return readings
end
