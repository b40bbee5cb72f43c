-- Finds literals for prefilters. The lists equal those of contract/regex/literals.ts, which explains them.

local bounds = require("guard.policy.tables").literal_bounds

local byte, char, find, lower, sub = string.byte, string.char, string.find, string.lower, string.sub
local huge, min = math.huge, math.min
local sort = table.sort

-- Markers for the ends of the text. Subjects have no control characters.
local TEXT_START, TEXT_END = "\1", "\2"

-- The facts of a node that can match any text. Facts are lists of texts: every text that a node matches is one of
-- `exact` (nil: there are too many), begins with one of `prefixes`, ends with one of `suffixes` (the empty text means
-- unknown), and contains one of `required` (an empty list means unknown). For a repeat that may be absent, every text
-- except the empty one ends with the one character in `last_if_present` (nil: unknown).
local anything = { prefixes = { "" }, suffixes = { "" }, required = {} }

local function distinct(texts)
    local list, seen = {}, {}
    for _, text in ipairs(texts) do
        if not seen[text] then
            seen[text] = true
            list[#list + 1] = text
        end
    end
    return list
end

-- Sorts the shortest text first. Texts of equal length keep their order.
local function by_length(texts)
    local position = {}
    for i, text in ipairs(texts) do
        position[text] = i
    end
    sort(texts, function(one, other)
        if #one ~= #other then
            return #one < #other
        end
        return position[one] < position[other]
    end)
    return texts
end

local function contains_one(text, list, count)
    for i = 1, count do
        if find(text, list[i], 1, true) then
            return true
        end
    end
    return false
end

-- Removes texts that contain another text of the list. Returns nil when too many remain.
local function minimal(texts)
    local kept, shorter = {}, 0 -- `shorter` counts shorter texts; a text cannot contain another one of equal length
    for _, text in ipairs(by_length(distinct(texts))) do
        if #text > (kept[1] and #kept[#kept] or 0) then
            shorter = #kept
        end
        if not contains_one(text, kept, shorter) then
            kept[#kept + 1] = text
        end
        if #kept > bounds.literals then
            return nil
        end
    end
    return kept
end

local function shortest(texts)
    local least = huge
    for _, text in ipairs(texts) do
        least = min(least, #text)
    end
    return least
end

-- Returns the most selective list of bounded length. Returns an empty list when it would exclude no text.
local function fitted(texts)
    for _, length in ipairs(bounds.cuts) do
        local cut = {}
        for i, text in ipairs(texts) do
            cut[i] = sub(text, 1, length)
        end
        local list = minimal(cut)
        if list then
            return shortest(list) == 0 and {} or list
        end
    end
    return {}
end

-- Returns the more selective list: the one whose shortest text is longer, or at equal length the one with fewer texts.
local function more_selective(one, other)
    if #one > 0 and shortest(other) < shortest(one) then
        return one
    end
    local list = fitted(other)
    if #list == 0 or #one == 0 then
        return #list == 0 and one or list
    end
    local gain = shortest(list) - shortest(one)
    return (gain > 0 or gain == 0 and #list < #one) and list or one
end

local function exact_facts(exact)
    return { exact = exact, prefixes = exact, suffixes = exact, required = more_selective({}, exact) }
end

-- Returns every head followed by every tail, or nil when there are too many.
local function joined(heads, tails)
    if not heads or not tails or #heads * #tails > bounds.joined then
        return nil
    end
    local texts = {}
    for _, head in ipairs(heads) do
        for _, tail in ipairs(tails) do
            texts[#texts + 1] = head .. tail
        end
    end
    return distinct(texts)
end

-- Returns all texts of `field`, or nil when a list is absent or empty, or when there are too many texts.
local function union(all, field)
    local texts = {}
    for _, facts in ipairs(all) do
        local list = facts[field]
        if not list or #list == 0 then
            return nil
        end
        for _, text in ipairs(list) do
            texts[#texts + 1] = text
        end
    end
    texts = distinct(texts)
    return #texts <= bounds.joined and texts or nil
end

local function followed_by(left, right)
    local exact = joined(left.exact, right.exact)
    local seam = exact or joined(left.suffixes, right.prefixes) or {}
    return {
        exact = exact,
        prefixes = joined(left.exact, right.prefixes) or left.prefixes,
        suffixes = joined(left.suffixes, right.exact)
            or union({ left, { suffixes = right.last_if_present } }, "suffixes")
            or right.suffixes,
        required = more_selective(more_selective(left.required, right.required), seam),
    }
end

local facts_of

local function of_alternation(node)
    local branches = {}
    for i, branch in ipairs(node.parts) do
        branches[i] = facts_of(branch)
    end
    return {
        exact = union(branches, "exact"),
        prefixes = union(branches, "prefixes") or { "" },
        suffixes = union(branches, "suffixes") or { "" },
        required = more_selective({}, union(branches, "required") or {}),
    }
end

local function of_sequence(node)
    local facts = exact_facts({ "" })
    for _, part in ipairs(node.parts) do
        facts = followed_by(facts, facts_of(part))
    end
    return facts
end

-- Returns the one character with which all texts end, as a list, or nil when there is none.
local function last_character(texts)
    local last = {}
    for i, text in ipairs(texts) do
        last[i] = sub(text, -1)
    end
    last = distinct(last)
    return #last == 1 and last[1] ~= "" and last or nil
end

local function of_repeat(node)
    local body = facts_of(node.body)
    if node.min == 0 and node.max == 1 and body.exact and #body.exact <= bounds.members then
        return exact_facts(distinct({ "", unpack(body.exact) }))
    elseif node.min == 0 then
        return { prefixes = { "" }, suffixes = { "" }, required = {}, last_if_present = last_character(body.suffixes) }
    end
    local spelt = body
    for _ = 2, min(node.min, bounds.copies) do
        spelt = followed_by(spelt, body)
    end
    if node.min == node.max and node.min <= bounds.copies then
        return spelt
    end
    return { prefixes = spelt.prefixes, suffixes = body.suffixes, required = spelt.required }
end

local function of_set(node)
    local members = {}
    for code = byte(" "), byte("~") do
        if node.members[code] then
            members[#members + 1] = lower(char(code))
        end
    end
    members = distinct(members)
    return #members > 0 and #members <= bounds.members and exact_facts(members) or anything
end

local ends = { ["^"] = TEXT_START, ["\\A"] = TEXT_START, ["$"] = TEXT_END, ["\\z"] = TEXT_END }

local kinds = {
    assertion = function(node) return exact_facts({ ends[node.name] or "" }) end,
    set = of_set,
    group = function(node) return facts_of(node.body) end,
    sequence = of_sequence,
    alternation = of_alternation,
    ["repeat"] = of_repeat,
}

function facts_of(node)
    return kinds[node.kind](node)
end

-- Whether a text can contain the literal. A marker for an end of the text is valid only at that end of the literal.
local function is_possible(literal)
    return not find(literal, TEXT_START, 2, true) and not find(sub(literal, 1, -2), TEXT_END, 1, true)
end

-- Returns lower-case literals. Every text that the tree matches contains, in lower case, at least one of them. An empty
-- list means that no literals are known.
return function(tree)
    local required = facts_of(tree).required
    for _, literal in ipairs(required) do
        if not is_possible(literal) then
            return {}
        end
    end
    return required
end
