-- What follows an opening parenthesis.

local cursors = require("guard.pattern.cursor")

local find = string.find

-- Openings that some engine supports. The first that matches gives the reason.
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

-- Parses "(", "(?:", "(?flags:" or "(?flags)"; flags take effect on the cursor at once. Returns whether a group was
-- opened: (?i) sets flags until the end of the group around it.
return function(cursor)
    local at = cursor.at
    for _, opening in ipairs(refused_openings) do
        if cursors.looks_at(cursor, opening[1]) then
            cursors.refuse(opening[2], at)
        end
    end
    if cursors.take(cursor, "(?:") or (not cursors.looks_at(cursor, "(?") and cursors.take(cursor, "(")) then
        return true
    end
    local captures = cursors.take_match(cursor, "%(%?([ism]*)(%-?[ism]*)([:)])()")
    local on, off = captures and captures[1] or "", captures and captures[2] or ""
    if not captures or on .. off == "" or off == "-" or has_repeats(on .. off) then
        cursors.refuse("bad_group", at)
    end
    set_flags(cursor, on, off)
    return captures[3] == ":"
end
