-- The grammar of patterns. It contains only syntax that RE2, Go and PCRE interpret identically (docs/engine.md).
-- A node of the tree is {kind =}: "set" with members; "assertion" with name; "sequence" and "alternation" with parts;
-- "group" with body; "repeat" with body, min, max and at. Each node has size, after all counts are expanded, and
-- product, the largest product of nested counts. The root also has bytes, the length with expanded counts.

local ambiguity = require("guard.pattern.ambiguity")
local cursors = require("guard.pattern.cursor")
local parse_class = require("guard.pattern.class")
local parse_escape = require("guard.pattern.escape")
local parse_opening = require("guard.pattern.group")
local quantifier = require("guard.pattern.quantifier")
local required_literals = require("guard.pattern.literals")
local sets = require("guard.pattern.set")
local limits = require("guard.tables").limits

local find = string.find
local huge, max, min = math.huge, math.max, math.min
local looks_at, peek, refuse, skip = cursors.looks_at, cursors.peek, cursors.refuse, cursors.skip

local _M = {}

local assertions = { "^", "$", "\\A", "\\z", "\\b", "\\B" }

local parse_alternation

local function parse_group(cursor)
    local at, outside = cursor.at, cursor.ignore_case
    if not parse_opening(cursor) then
        return nil
    elseif cursor.depth == limits.regex_nesting then
        refuse("too_deep", at)
    end
    cursor.depth = cursor.depth + 1
    local body = parse_alternation(cursor)
    if not skip(cursor, ")") then
        refuse("unclosed_group", at)
    end
    cursor.depth = cursor.depth - 1
    cursor.ignore_case = outside
    return { kind = "group", body = body, size = body.size, product = body.product }
end

local function in_both_cases(cursor, set)
    return cursor.ignore_case and sets.ignoring_case(set) or set
end

local function parse_character(cursor)
    local character = peek(cursor)
    local set
    if character == "[" then
        set = parse_class(cursor)
    elseif character == "." then
        cursor.at = cursor.at + 1
        set = sets.everything
    elseif character == "\\" then
        set = in_both_cases(cursor, (parse_escape(cursor)))
    else
        cursor.at = cursor.at + 1
        set = in_both_cases(cursor, { [character:byte()] = true })
    end
    return { kind = "set", members = set, size = 1, product = 1 }
end

-- Parses one atom. Returns nil for flags, and before a quantifier that has no atom.
local function parse_atom(cursor)
    if quantifier.starts(cursor) then
        return nil
    end
    for _, name in ipairs(assertions) do
        if skip(cursor, name) then
            return { kind = "assertion", name = name, size = 1, product = 1 }
        end
    end
    if looks_at(cursor, "(") then
        return parse_group(cursor)
    end
    return parse_character(cursor)
end

local function repeat_node(body, found)
    -- RE2 expands x{2,5} to five copies, x{3,} to three, x* to one.
    local copies = max(1, found.max == huge and found.min or found.max)
    return { kind = "repeat", body = body, at = found.at, min = found.min, max = found.max,
        size = copies * body.size, product = copies * body.product }
end

-- Returns by how many bytes a pattern grows when a repeat is expanded: x{2,5} becomes xxx?x?x?. The repeated part has
-- the length `bytes`.
local function added_bytes(node, bytes)
    local more = max(1, node.max == huge and node.min or node.max) - 1
    local optional = node.max == huge and 0 or min(more, node.max - node.min)
    return more * bytes + optional
end

local function parse_quantified(cursor)
    local start, added = cursor.at, cursor.added
    local atom = parse_atom(cursor)
    local at = cursor.at
    local bytes = at - start + cursor.added - added
    local found = quantifier.parse(cursor)
    if not found then
        return atom
    elseif not atom or atom.kind == "assertion" then
        refuse("nothing_to_repeat", at)
    elseif quantifier.starts(cursor) then
        refuse("repeated_quantifier", cursor.at)
    end
    local node = repeat_node(atom, found)
    if node.product > limits.regex_repeat then
        refuse("large_product", at)
    elseif node.size > limits.regex_size then
        refuse("too_large", at)
    end
    cursor.added = cursor.added + added_bytes(node, bytes)
    return node
end

local function join_parts(kind, parts)
    local size, product = 0, 1
    for _, part in ipairs(parts) do
        size, product = size + part.size, max(product, part.product)
    end
    return { kind = kind, parts = parts, size = max(1, size), product = product }
end

local function parse_sequence(cursor)
    local parts = {}
    while not peek(cursor):find("^[|)]?$") do
        parts[#parts + 1] = parse_quantified(cursor)
    end
    return join_parts("sequence", parts)
end

function parse_alternation(cursor)
    local branches = { parse_sequence(cursor) }
    while skip(cursor, "|") do
        branches[#branches + 1] = parse_sequence(cursor)
    end
    return #branches == 1 and branches[1] or join_parts("alternation", branches)
end

local function parse_whole(source)
    local odd = source:find("[^ -~]")
    if odd then
        refuse("not_printable", odd)
    elseif #source > limits.regex_bytes then
        refuse("too_long", limits.regex_bytes + 1)
    end
    local cursor = cursors.new(source)
    local tree = parse_alternation(cursor)
    if cursor.at <= #source then
        refuse("unopened_group", cursor.at)
    elseif tree.size > limits.regex_size then
        refuse("too_large", 1)
    end
    tree.bytes = #source + cursor.added
    return tree
end

-- Returns the tree of a pattern, or nil and {reason =, offset =}: a clause, and a byte offset from 0.
function _M.parse(source)
    local ok, result = pcall(parse_whole, source)
    if ok then
        return result
    elseif type(result) == "table" then
        return nil, result
    end
    error(result, 0)
end

-- Returns the length of a pattern with expanded counts. A refused pattern counts as written.
function _M.bytes(source)
    if not find(source, "{", 1, true) then
        return #source -- it has no counts
    end
    local tree = _M.parse(source)
    return tree and tree.bytes or #source
end

-- Returns lower-case literals. Every text that a valid pattern matches contains, in lower case, at least one of them.
-- An empty list means that no literals are known.
function _M.literals(source)
    return required_literals(_M.parse(source))
end

-- Returns why nginx refuses a pattern, or nil: the pattern is outside the grammar, or has an ambiguous repetition.
function _M.check(source)
    local tree, refusal = _M.parse(source)
    if not tree then
        return refusal
    end
    return ambiguity(tree)
end

return _M
