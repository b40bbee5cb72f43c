-- Parses character classes such as [a-z\d[:punct:]].

local cursors = require("guard.pattern.cursor")
local parse_escape = require("guard.pattern.escape")
local sets = require("guard.pattern.set")

local byte = string.byte
local looks_at, peek, refuse, skip = cursors.looks_at, cursors.peek, cursors.refuse, cursors.skip

local posix_classes = {
    alnum = "%w", alpha = "%a", ascii = ".", blank = " ", cntrl = "%c", digit = "%d", graph = "[^ ]", lower = "%l",
    print = ".", punct = "%p", space = " ", upper = "%u", word = "[%w_]", xdigit = "%x",
}

local function parse_posix_class(cursor)
    local captures = cursors.read_match(cursor, "%[:(%l+):%]()")
    local members = captures and posix_classes[captures[1]]
    if not members then
        refuse("bad_posix_class", captures and captures[2] - #captures[1] - 4 or cursor.at)
    end
    return sets.matching(members), true
end

-- Parses one member: returns a set, and whether it is a class, which cannot be an end of a range.
local function parse_member(cursor)
    local character = peek(cursor)
    if character == "\\" then
        return parse_escape(cursor)
    elseif looks_at(cursor, "[:") or looks_at(cursor, "[.") or looks_at(cursor, "[=") then
        return parse_posix_class(cursor)
    end
    cursor.at = cursor.at + 1
    return { [byte(character)] = true }, false
end

-- Whether the hyphen at the cursor makes a range. A hyphen before the closing bracket does not.
local function starts_range(cursor)
    return looks_at(cursor, "-") and not looks_at(cursor, "-]")
end

local function parse_range(cursor, from, from_is_class)
    local hyphen = cursor.at
    cursor.at = hyphen + 1
    if peek(cursor) == "" then
        return from -- the class is not closed; the error is reported at its bracket
    elseif peek(cursor) == "-" then
        refuse("stray_hyphen", cursor.at)
    end
    local to, to_is_class = parse_member(cursor)
    if from_is_class or to_is_class then
        refuse("class_in_range", hyphen)
    end
    local first, last = next(from), next(to)
    if first > last then
        refuse("reversed_range", hyphen)
    end
    return sets.range(first, last)
end

local function parse_members(cursor, open)
    local members, start = {}, cursor.at
    while not skip(cursor, "]") do
        if peek(cursor) == "" then
            refuse("unclosed_class", open)
        elseif starts_range(cursor) and cursor.at > start then
            refuse("stray_hyphen", cursor.at)
        end
        local is_hyphen = looks_at(cursor, "-")
        local set, is_class = parse_member(cursor)
        if starts_range(cursor) then
            if is_hyphen then
                refuse("stray_hyphen", cursor.at - 1)
            end
            set = parse_range(cursor, set, is_class)
        end
        sets.add(members, set)
    end
    return members
end

-- Parses the class whose opening bracket is at the cursor.
return function(cursor)
    local open = cursor.at
    cursor.at = open + 1
    local is_negated = skip(cursor, "^")
    if looks_at(cursor, "]") then
        refuse("empty_class", open)
    end
    local set = parse_members(cursor, open)
    if cursor.ignore_case then
        set = sets.ignoring_case(set)
    end
    return is_negated and sets.complement(set) or set
end
