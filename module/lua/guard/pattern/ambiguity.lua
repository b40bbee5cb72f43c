-- Finds ambiguous repetitions, on which nginx can take exponential time. contract/regex/ambiguity.ts explains the
-- algorithm. The contribution of a node is {empty =, first =, last =}: the number of ways to match the empty text, the
-- positions at which its texts begin, and those at which they end.

local automata = require("guard.pattern.automaton")
local refusals = require("guard.policy.tables").refusals
local limits = require("guard.tables").limits

local empty_part = { empty = 1, first = {}, last = {} }

local function children(node)
    return node.parts or { node.body }
end

local function sum_of(lengths)
    local sum = 0
    for _, length in ipairs(lengths) do
        sum = sum + length
    end
    return sum
end

-- Returns the length of every text that a node matches, or nil when the lengths differ.
local function length_of(node)
    if node.kind == "set" then
        return 1
    end
    local lengths = {}
    for i, child in ipairs(children(node)) do
        lengths[i] = length_of(child)
        if not lengths[i] or (node.kind == "alternation" and lengths[i] ~= lengths[1]) then
            return nil
        end
    end
    if node.kind == "alternation" then
        return lengths[1]
    elseif node.kind == "repeat" then
        return node.min == node.max and lengths[1] * node.min or nil
    end
    return sum_of(lengths)
end

-- Returns `ways`, and `more` with its numbers multiplied by `count`.
local function joined_ways(ways, more, count)
    local list = { unpack(ways) }
    for _, way in ipairs(count > 0 and more or {}) do
        list[#list + 1] = { way[1], way[2] * count }
    end
    return list
end

local function followed(automaton, left, right)
    automaton:connect(left.last, right.first)
    return {
        empty = left.empty * right.empty,
        first = joined_ways(left.first, right.first, left.empty),
        last = joined_ways(right.last, left.last, right.empty),
    }
end

local part_of

-- Expands the counts of a repeat if its texts have one length, and ignores them otherwise.
local function part_of_repeat(automaton, node)
    if node.max == 0 then
        return empty_part
    end
    local part = part_of(automaton, node.body)
    if node.min == node.max and length_of(node.body) then
        for _ = 2, node.min do
            part = followed(automaton, part, part_of(automaton, node.body))
        end
        return part
    end
    if node.max > 1 then
        automaton:connect(part.last, part.first)
    end
    return { empty = part.empty + (node.min == 0 and 1 or 0), first = part.first, last = part.last }
end

local function part_of_alternation(automaton, node)
    local whole = { empty = 0, first = {}, last = {} }
    for _, branch in ipairs(node.parts) do
        local part = part_of(automaton, branch)
        whole.empty = whole.empty + part.empty
        whole.first = joined_ways(whole.first, part.first, 1)
        whole.last = joined_ways(whole.last, part.last, 1)
    end
    return whole
end

local function part_of_sequence(automaton, node)
    local whole = empty_part
    for _, child in ipairs(node.parts) do
        whole = followed(automaton, whole, part_of(automaton, child))
    end
    return whole
end

local kinds = {
    set = function(automaton, node)
        local ways = { { automaton:add(node.members), 1 } }
        return { empty = 0, first = ways, last = ways }
    end,
    assertion = function() return empty_part end,
    group = function(automaton, node) return part_of(automaton, node.body) end,
    sequence = part_of_sequence,
    alternation = part_of_alternation,
    ["repeat"] = part_of_repeat,
}

function part_of(automaton, node)
    return kinds[node.kind](automaton, node)
end

local function is_ambiguous(node)
    local automaton = automata.new(limits.regex_loop_edges, limits.regex_loop_pairs)
    local body = part_of(automaton, node.body)
    automaton:connect(body.last, body.first)
    return automaton:is_ambiguous()
end

-- Returns the first ambiguous repetition in the order of opening. The check of a repetition covers the repetitions
-- inside it.
local function ambiguous_repetition(node)
    if node.kind == "repeat" and node.max ~= 1 then
        return node.max > 1 and is_ambiguous(node) and node or nil
    end
    for _, child in ipairs(children(node)) do
        local found = ambiguous_repetition(child)
        if found then
            return found
        end
    end
end

-- Returns why nginx refuses the pattern of a tree: {reason =, offset =} of the quantifier. Returns nil when the pattern
-- has no ambiguous repetition.
return function(tree)
    local found = ambiguous_repetition(tree)
    return found and { reason = refusals.ambiguous, offset = found.at - 1 }
end
