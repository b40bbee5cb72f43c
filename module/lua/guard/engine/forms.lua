-- The forms of one decoded path. Each form is the reading of some server.

local bytes = require("guard.engine.bytes")

local byte, char, find, gsub, sub = string.byte, string.char, string.find, string.gsub, string.sub
local concat, min = table.concat, math.min

local _M = {}

local dots_and_spaces = bytes.set(". ")

local function collapse(text)
    return (gsub(text, "//+", "/"))
end

-- Removes the parameters of each segment, as servlet containers do before they resolve dot segments.
local function without_parameters(text)
    return (gsub(text, ";[^/]*", ""))
end

-- Resolves dot segments as in RFC 3986 5.2.4. A text without a leading slash stays unchanged.
local function resolve_dots(text)
    if sub(text, 1, 1) ~= "/" or not find(text, "/.", 1, true) then
        return text
    end
    local out, depth, dots = {}, 0, false
    for segment in string.gmatch(text, "/([^/]*)") do
        dots = segment == "." or segment == ".."
        if segment == ".." and depth > 0 then
            out[depth] = nil
            depth = depth - 1
        elseif not dots then
            depth = depth + 1
            out[depth] = segment
        end
    end
    if dots then
        out[depth + 1] = ""
    end
    return "/" .. concat(out, "/")
end

_M.resolve_dots = resolve_dots

-- Returns the name that Windows opens: without an alternate data stream, and without dots and spaces at the end.
local function windows_name(segment)
    local stream = find(segment, "::$", 1, true) or find(segment, ":$", 1, true)
    local name = segment
    if stream and stream > 1 then
        name = sub(segment, 1, stream - 1)
    end
    if name == "." or name == ".." then
        return name
    end
    local stripped = bytes.strip_end(name, dots_and_spaces)
    return stripped == "" and name or stripped
end

local function with_windows_names(text)
    if not find(text, "[. ]") and not find(text, ":$", 1, true) then
        return text
    end
    return (gsub(text, "[^/]+", windows_name))
end

-- Ends the path at the first NUL, ? or #, as C libraries and URL parsers do.
function _M.cut(text)
    local stop = find(text, "[%z?#]")
    return stop and sub(text, 1, stop - 1) or text
end

-- Removes control characters, which some parsers skip.
function _M.without_controls(text)
    return (gsub(text, "[%z\1-\31\127]", ""))
end

-- What Str::trim of Laravel 11 removes (INVISIBLE_CHARACTERS in illuminate/support, and \s), as UTF-8. It includes what
-- trim of JavaScript and strip of Python remove, apart from control characters.
local blanks = { [" "] = true }
local MOST_BLANK_BYTES = 4

local function add_blanks(lead, first, last)
    for code = first, last or first do
        blanks[lead .. char(code)] = true
    end
end

add_blanks("\xC2", 0x85) -- U+0085
add_blanks("\xC2", 0xA0)
add_blanks("\xC2", 0xAD)
add_blanks("\xCD", 0x8F) -- U+034F
add_blanks("\xD8", 0x9C) -- U+061C
add_blanks("\xE1\x85", 0x9F, 0xA0) -- U+115F
add_blanks("\xE1\x9A", 0x80) -- U+1680
add_blanks("\xE1\x9E", 0xB4, 0xB5) -- U+17B4
add_blanks("\xE1\xA0", 0x8E) -- U+180E
add_blanks("\xE2\x80", 0x80, 0x8F) -- U+2000
add_blanks("\xE2\x80", 0xA8, 0xA9)
add_blanks("\xE2\x80", 0xAF)
add_blanks("\xE2\x81", 0x9F, 0xA5) -- U+205F
add_blanks("\xE2\x81", 0xAA, 0xAF)
add_blanks("\xE2\xA0", 0x80) -- U+2800
add_blanks("\xE3\x80", 0x80) -- U+3000
add_blanks("\xE3\x85", 0xA4) -- U+3164
add_blanks("\xEF\xBB", 0xBF) -- U+FEFF
add_blanks("\xEF\xBE", 0xA0) -- U+FFA0
add_blanks("\xF0\x9D\x85", 0x99) -- U+1D159
add_blanks("\xF0\x9D\x85", 0xB3, 0xBA)
add_blanks("\xF3\xA0\x80", 0xA0) -- U+E0020

-- Returns the length of the blank at the start of a text, and of that at its end, or 0.
local function blank_at(text, from, to)
    local before, behind = 0, 0
    for length = 1, min(MOST_BLANK_BYTES, to - from + 1) do
        before = blanks[sub(text, from, from + length - 1)] and length or before
        behind = blanks[sub(text, to - length + 1, to)] and length or behind
    end
    return before, behind
end

-- Removes blanks at both ends of a value with Unicode characters, as Laravel does for each value (TrimStrings).
function _M.trim_blanks(text)
    if not find(text, "[\128-\255]") then
        return text
    end
    local from, to = 1, #text
    repeat
        local before, behind = blank_at(text, from, to)
        from, to = from + before, to - behind
    until before + behind == 0 or from > to
    return sub(text, from, to)
end

-- For each lead byte the number of continuation bytes, and the bounds of the first one (RFC 3629 4).
local sequences = {}

local function add_leads(first, last, more, lowest, highest)
    for lead = first, last do
        sequences[lead] = { more, lowest, highest }
    end
end

add_leads(0xC2, 0xDF, 1, 0x80, 0xBF)
add_leads(0xE0, 0xE0, 2, 0xA0, 0xBF)
add_leads(0xE1, 0xEC, 2, 0x80, 0xBF)
add_leads(0xED, 0xED, 2, 0x80, 0x9F)
add_leads(0xEE, 0xEF, 2, 0x80, 0xBF)
add_leads(0xF0, 0xF0, 3, 0x90, 0xBF)
add_leads(0xF1, 0xF3, 3, 0x80, 0xBF)
add_leads(0xF4, 0xF4, 3, 0x80, 0x8F)

-- Returns the length of the well-formed UTF-8 sequence at a byte above 7F, or nil.
local function sequence_length(text, at)
    local sequence = sequences[byte(text, at)]
    if not sequence then
        return nil
    end
    local more = sequence[1]
    local second, third, fourth = byte(text, at + 1, at + more)
    local is_whole = second and second >= sequence[2] and second <= sequence[3]
        and (more < 2 or third and third >= 0x80 and third <= 0xBF)
        and (more < 3 or fourth and fourth >= 0x80 and fourth <= 0xBF)
    return is_whole and more + 1 or nil
end

-- Removes bytes of invalid UTF-8, as servers in Python do (decode('utf-8', 'ignore') of Bottle).
function _M.without_invalid(text)
    local at, from, out = find(text, "[\128-\255]"), 1, nil
    while at do
        local length = sequence_length(text, at)
        if not length then
            out = out or {}
            out[#out + 1] = sub(text, from, at - 1)
            from = at + 1
        end
        at = find(text, "[\128-\255]", at + (length or 1))
    end
    return out and concat(out) .. sub(text, from) or text
end

-- Calls `add` with every form of a decoded path, with repetitions, until `add` returns false.
function _M.each(text, add)
    local slashed = text
    if not add(text) then
        return false
    end
    if find(text, "\\", 1, true) then
        slashed = gsub(text, "\\", "/")
        if not (add((gsub(text, "\\", ""))) and add(slashed)) then
            return false
        end
    end
    local bare = without_parameters(slashed)
    return add(collapse(slashed))
        and add(resolve_dots(collapse(slashed)))
        and add(collapse(resolve_dots(slashed)))
        and add(resolve_dots(collapse(bare)))
        and add(collapse(resolve_dots(bare)))
        and add(resolve_dots(collapse(with_windows_names(bare))))
end

return _M
