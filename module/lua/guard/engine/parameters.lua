-- Parameters of a header value: ; name=value and ; name="quoted value" (RFC 9110 5.6.6).

local byte, find, gsub, lower, match, sub = string.byte, string.find, string.gsub, string.lower, string.match, string.sub

local QUOTE, BACKSLASH, NEWLINE = 0x22, 0x5C, 0x0A

-- Index behind the quoted text that starts at `at`: of its closing quote if it has one.
local function quoted_end(text, at)
    while at <= #text and byte(text, at) ~= QUOTE do
        if byte(text, at) ~= BACKSLASH then
            at = at + 1
        else
            local escaped = byte(text, at + 1)
            if not escaped or escaped == NEWLINE then
                return at
            end
            at = at + 2
        end
    end
    return at
end

-- The value at `at`, and the index behind it.
local function parse_value(text, at, style)
    if byte(text, at) == QUOTE then
        local stop = quoted_end(text, at + 1)
        local is_closed = byte(text, stop) == QUOTE
        if is_closed or style.may_be_open then
            return gsub(sub(text, at + 1, stop - 1), style.escape, "%1"), is_closed and stop + 1 or stop
        end
    end
    return match(text, "^([^;\"%s]*)()", at)
end

-- Parameters by lower-case name; of several with one name the first counts. `style` has
--   name         pattern of the characters of a name
--   may_be_open  whether a quoted value may lack its closing quote
--   escape       pattern of an escape, the character in capture 1
return function(text, style)
    local parameters, at = {}, 1
    while true do
        local _, stop, name = find(text, ";[ \t]*([" .. style.name .. "]+)[ \t]*=[ \t]*", at)
        if not stop then
            return parameters
        end
        local value, behind = parse_value(text, stop + 1, style)
        name = lower(name)
        if parameters[name] == nil then
            parameters[name] = value
        end
        at = behind
    end
end
