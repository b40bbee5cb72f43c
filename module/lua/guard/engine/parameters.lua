-- Values of a parameter: name=value and name="quoted value" (RFC 9110 5.6.6), in each way that some server reads them.

local bytes = require("guard.engine.bytes")
local limits = require("guard.tables").limits

local byte, find, gsub, match, sub = string.byte, string.find, string.gsub, string.match, string.sub

local BACKSLASH = 0x5C
local blanks = bytes.set(" \t\n\v\f\r")

-- What stands before the next unescaped `quote`, or everything.
local function quoted(text, quote)
    local at = 1
    while at <= #text and byte(text, at) ~= quote do
        at = byte(text, at) == BACKSLASH and at + 2 or at + 1
    end
    return sub(text, 1, at - 1)
end

-- The different readings of the value that starts at `at`, which blanks may precede. `keeps_quotes` adds those of servers
-- that take quotation marks for a part of the value; without it they are left out where nothing follows the marks.
return function(text, at, keeps_quotes)
    local rest = match(sub(text, at, at + limits.body_value_bytes - 1), "^[ \t]*(.*)")
    local readings, known = {}, {}
    local function add(reading)
        if not known[reading] then
            known[reading] = true
            readings[#readings + 1] = reading
        end
    end
    local mark = match(rest, "^[\"']")
    if mark then
        -- Servers differ in which escapes they undo, and some know none.
        local plain = match(rest, "^[^" .. mark .. "]*", 2)
        if not find(plain, "\\", 1, true) then
            add(plain)
        else
            local value = quoted(sub(rest, 2), byte(mark))
            add((gsub(value, '\\(["\\])', "%1")))
            add((gsub(value, "\\(.)", "%1")))
            add(plain)
        end
    end
    if keeps_quotes or not find(rest .. ";", '^"[^"]*"[ \t]*;') then
        -- A value without quotation marks ends at a blank for some servers, at a comma or only at a semicolon for others.
        local whole = match(rest, "^[^;]*")
        if mark ~= '"' then
            add(match(whole, '^[^"%s]*'))
        end
        add(bytes.strip(match(whole, "^[^,]*"), blanks))
        add(bytes.strip(whole, blanks))
    end
    return readings
end
