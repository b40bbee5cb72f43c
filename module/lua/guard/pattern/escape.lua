-- Escapes for characters and classes. The same ones are valid inside and outside of square brackets.

local cursors = require("guard.pattern.cursor")
local sets = require("guard.pattern.set")

local byte, find = string.byte, string.find

-- Classes such as \d. The only white space in a subject is the space.
local classes = {
    d = sets.matching("%d"), D = sets.matching("%D"),
    w = sets.matching("[%w_]"), W = sets.matching("[^%w_]"),
    s = sets.matching(" "), S = sets.matching("[^ ]"),
}

-- Escapes that some engine supports. Each has a specific reason for the refusal.
local refused_escapes = {
    p = "unicode_class", P = "unicode_class", X = "unicode_class",
    Q = "quoting", E = "quoting", g = "backreference", k = "backreference",
}

local function hex_escape(cursor, at)
    local captures = cursors.read_match(cursor, "x(%x%x)()")
    local code = captures and tonumber(captures[1], 16)
    if not code or not sets.everything[code] then
        cursors.refuse("bad_hex", at)
    end
    return { [code] = true }
end

-- Parses the escape whose backslash is at the cursor. Returns a set, and whether the escape is a class.
return function(cursor)
    local at = cursor.at
    cursor.at = at + 1
    local letter = cursors.peek(cursor)
    if letter == "" then
        cursors.refuse("dangling_escape", at)
    elseif letter == "x" then
        return hex_escape(cursor, at), false
    end
    cursor.at = cursor.at + 1
    if classes[letter] then
        return classes[letter], true
    elseif find(letter, "%p") then
        return { [byte(letter)] = true }, false
    end
    return cursors.refuse(find(letter, "%d") and "backreference" or refused_escapes[letter] or "bad_escape", at)
end
