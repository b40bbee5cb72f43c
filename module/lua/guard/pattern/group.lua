-- Parses the text after an opening parenthesis.

local cursors = require("guard.pattern.cursor")

local find = string.find

-- Openings that some engine supports. The first match gives the reason of the refusal.
local refused_openings = {
    { "(?=", "lookaround" }, { "(?!", "lookaround" }, { "(?<=", "lookaround" }, { "(?<!", "lookaround" },
    { "(?<", "named_group" }, { "(?'", "named_group" }, { "(?P<", "named_group" },
    { "(?P=", "backreference" }, { "(?#", "comment" }, { "(*", "verb" },
}

local function has_repeats(flags)
    for i = 1, #flags do
        if find(flags, flags:sub(i, i), i + 1, true) then
            return true
        end
    end
    return false
end

local function set_flags(cursor, on, off)
    if find(on, "i", 1, true) then
        cursor.ignore_case = true
    elseif find(off, "i", 1, true) then
        cursor.ignore_case = false
    end
end

-- Returns whether a group was opened. (?i) only sets flags for the remainder of the enclosing group.
return function(cursor)
    local at = cursor.at
    for _, opening in ipairs(refused_openings) do
        if cursors.looks_at(cursor, opening[1]) then
            cursors.refuse(opening[2], at)
        end
    end
    if cursors.skip(cursor, "(?:") or (not cursors.looks_at(cursor, "(?") and cursors.skip(cursor, "(")) then
        return true
    end
    local captures = cursors.read_match(cursor, "%(%?([ism]*)(%-?[ism]*)([:)])()")
    local on, off = captures and captures[1] or "", captures and captures[2] or ""
    if not captures or on .. off == "" or off == "-" or has_repeats(on .. off) then
        cursors.refuse("bad_group", at)
    end
    set_flags(cursor, on, off)
    return captures[3] == ":"
end
