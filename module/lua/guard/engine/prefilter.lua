-- Which rules can match a text at all: one walk over the text through a trie of the literals that they need. LuaJIT
-- compiles the walk; nearly all traffic then needs no regular expression.

local ffi = require("ffi")

local byte = string.byte
local sort = table.sort

local CHARACTERS = 128
-- Stand for the ends of the text in a literal; no candidate holds control characters.
local TEXT_START, TEXT_END = 1, 2
-- States of the trie: bounds its memory (a state has 256 bytes). Rules that find no room are always tried.
local MAX_STATES = 65535

local lower_case = ffi.new("uint8_t[?]", 256)
for code = 0, 255 do
    lower_case[code] = byte(string.lower(string.char(code)))
end

local function insert(trie, literal, rule)
    local state = 0
    for at = 1, #literal do
        local slot = state * CHARACTERS + byte(literal, at)
        if trie.next[slot] == 0 then
            trie.next[slot] = trie.states
            trie.states = trie.states + 1
        end
        state = trie.next[slot]
    end
    local rules = trie.ends[state] or {}
    rules[#rules + 1] = rule
    trie.ends[state] = rules
    trie.is_end[state] = 1
end

local function new_trie(room)
    return {
        next = ffi.new("uint16_t[?]", room * CHARACTERS),
        is_end = ffi.new("uint8_t[?]", room),
        ends = {},
        states = 1,
    }
end

local function build(literals_of_rules)
    local most = 1
    for _, literals in ipairs(literals_of_rules) do
        for _, literal in ipairs(literals) do
            most = most + #literal
        end
    end
    local room = math.min(most, MAX_STATES)
    local trie, always = new_trie(room), {}
    for rule, literals in ipairs(literals_of_rules) do
        local needed = 0
        for _, literal in ipairs(literals) do
            needed = needed + #literal
        end
        if needed == 0 or trie.states + needed > room then
            always[#always + 1] = rule
        else
            for _, literal in ipairs(literals) do
                insert(trie, literal, rule)
            end
        end
    end
    return trie, always
end

-- The code at `at` in the text between its two end marks.
local function code_at(text, at, length)
    if at == 0 then
        return TEXT_START
    elseif at > length then
        return TEXT_END
    end
    return lower_case[byte(text, at)]
end

-- Adds the rules of a state to `found`, each once.
local function add(found, rules)
    found = found or {}
    for _, rule in ipairs(rules) do
        if not found[-rule] then
            found[-rule] = true
            found[#found + 1] = rule
        end
    end
    return found
end

-- Rules whose literals occur in the text. Every position starts a walk, which ends after a few characters.
local function walk(trie, text)
    local next_state, is_end, length, found = trie.next, trie.is_end, #text, nil
    for start = 0, length + 1 do
        local state, at = 0, start
        while at <= length + 1 do
            state = next_state[state * CHARACTERS + code_at(text, at, length)]
            if state == 0 then
                break
            end
            if is_end[state] == 1 then
                found = add(found, trie.ends[state])
            end
            at = at + 1
        end
    end
    return found
end

-- A function from printable ASCII to the indexes of the rules that may match it, ascending; nil for none.
-- A rule without literals is always tried.
return function(literals_of_rules)
    local trie, always = build(literals_of_rules)
    local fallback = #always > 0 and always or nil
    return function(text)
        local found = walk(trie, text)
        if not found then
            return fallback
        end
        for _, rule in ipairs(always) do
            found[#found + 1] = rule
        end
        sort(found)
        return found
    end
end
