-- Finds the rules that can match a text by an automaton of their literals (Aho and Corasick, 1975).

local ffi = require("ffi")

local byte, find = string.byte, string.find
local lshift = bit.lshift
local min = math.min
local sort = table.sort

-- Markers of the start and the end of the text in a literal. Candidates have no control characters.
local TEXT_START, TEXT_END = 1, 2
-- Maximum number of states, which bounds the memory. Rules that do not fit are always tried.
local MAX_STATES = 65535
-- Maximum bytes of a literal in the automaton. Longer literals need more states and are hardly more selective.
local LITERAL_BYTES = 12

-- The columns of a row of the automaton are a power of two: a product of two numbers would take longer than all else that
-- a loop does for a byte, because LuaJIT computes it with floating point.
local ROW_BITS = 6
local COLUMNS = lshift(1, ROW_BITS)

-- Maps letters to lower case, and a plus to a space, because a plus means a space in a form.
local folded_bytes = ffi.new("uint8_t[?]", 256)
for code = 0, 255 do
    folded_bytes[code] = byte((string.lower(string.char(code)):gsub("+", " ")))
end

-- Returns the folded characters of the literals, the markers first, then the most frequent ones.
local function characters_of(literals_of_rules)
    local counts, codes = { [TEXT_START] = math.huge, [TEXT_END] = math.huge }, { TEXT_START, TEXT_END }
    for _, literals in ipairs(literals_of_rules) do
        for _, literal in ipairs(literals) do
            for at = 1, #literal do
                local code = folded_bytes[byte(literal, at)]
                codes[#codes + 1] = not counts[code] and code or nil
                counts[code] = (counts[code] or 0) + 1
            end
        end
    end
    sort(codes, function(one, other)
        return counts[one] > counts[other] or counts[one] == counts[other] and one < other
    end)
    return codes
end

-- Returns a column for each character. Characters that occur in no literal share one column, and so do the rarest ones
-- where there are too many: the automaton then finds more than the literals, but never less.
local function columns_of(literals_of_rules)
    local column_of = ffi.new("uint8_t[?]", 256)
    for column, code in ipairs(characters_of(literals_of_rules)) do
        column_of[code] = min(column, COLUMNS - 1)
    end
    for code = 0, 255 do
        column_of[code] = column_of[folded_bytes[code]]
    end
    return column_of
end

local function insert(trie, literal, rule)
    local state = 0
    for at = 1, min(#literal, LITERAL_BYTES) do
        local slot = lshift(state, ROW_BITS) + trie.column_of[byte(literal, at)]
        if trie.next[slot] == 0 then
            trie.next[slot] = trie.states
            trie.states = trie.states + 1
        end
        state = trie.next[slot]
    end
    local rules = trie.ends[state] or {}
    rules[#rules + 1] = rule
    trie.ends[state] = rules
end

local function new_trie(literals_of_rules, room)
    return {
        next = ffi.new("uint16_t[?]", lshift(room, ROW_BITS)),
        column_of = columns_of(literals_of_rules),
        states = 1,
        ends = {},
        left_out = {},
    }
end

-- Frees the states that were allocated but not used, because literals share prefixes.
local function shrink(trie)
    local exact = ffi.new("uint16_t[?]", lshift(trie.states, ROW_BITS))
    ffi.copy(exact, trie.next, ffi.sizeof(exact))
    trie.next = exact
end

local function append(list, more)
    local joined = {}
    for _, rules in ipairs({ list or {}, more or {} }) do
        for _, rule in ipairs(rules) do
            joined[#joined + 1] = rule
        end
    end
    return joined
end

-- Turns the trie into the automaton. Each state gets the missing transitions and the rules of its suffix link: the
-- state of the longest proper suffix of its text. Proceeds breadth first, so that the linked state is already complete.
local function link(trie)
    local next_state, ends, queue, suffix = trie.next, trie.ends, { 0 }, { [0] = 0 }
    local head = 1
    while queue[head] do
        local state = queue[head]
        head = head + 1
        if state ~= 0 and ends[suffix[state]] then
            ends[state] = append(ends[state], ends[suffix[state]])
        end
        for column = 0, COLUMNS - 1 do
            local slot = lshift(state, ROW_BITS) + column
            local fallback = state == 0 and 0 or next_state[lshift(suffix[state], ROW_BITS) + column]
            if next_state[slot] == 0 then
                next_state[slot] = fallback
            else
                local child = next_state[slot]
                queue[#queue + 1] = child
                suffix[child] = fallback
            end
        end
    end
    trie.is_end, trie.is_end_before_end = ffi.new("uint8_t[?]", trie.states), ffi.new("uint8_t[?]", trie.states)
    for state in pairs(ends) do
        trie.is_end[state] = 1
    end
    for state = 0, trie.states - 1 do
        trie.is_end_before_end[state] = trie.is_end[next_state[lshift(state, ROW_BITS) + trie.column_of[TEXT_END]]]
    end
end

local function size_of(literals)
    local size = 0
    for _, literal in ipairs(literals) do
        size = size + min(#literal, LITERAL_BYTES)
    end
    return size
end

local function build(literals_of_rules)
    local most = 1
    for _, literals in ipairs(literals_of_rules) do
        most = most + size_of(literals)
    end
    local room = min(most, MAX_STATES)
    local trie = new_trie(literals_of_rules, room)
    for rule, literals in ipairs(literals_of_rules) do
        if trie.states + size_of(literals) > room then
            trie.left_out[#trie.left_out + 1] = rule
        else
            for _, literal in ipairs(literals) do
                insert(trie, literal, rule)
            end
        end
    end
    shrink(trie)
    link(trie)
    trie.start = trie.next[trie.column_of[TEXT_START]]
    return trie
end

-- Caches automata, because policies with the same literals have the same automaton.
local automata = setmetatable({}, { __mode = "v" })

local function shared_automaton(literals_of_rules)
    local lists = {}
    for position, literals in ipairs(literals_of_rules) do
        lists[position] = table.concat(literals, "\n")
    end
    local key = table.concat(lists, "\n\n")
    local trie = automata[key] or build(literals_of_rules)
    automata[key] = trie
    return trie
end

-- Whether the literals exclude no text: there are none, or one of them consists only of markers.
local function is_everywhere(literals)
    for _, literal in ipairs(literals) do
        if not find(literal, "[^\1\2]") then
            return true
        end
    end
    return #literals == 0
end

-- Separates the rules whose literals can exclude a text. Returns their literals, their positions, and the positions of
-- all other rules.
local function partition(literals_of_rules)
    local with, positions, without = {}, {}, {}
    for position, literals in ipairs(literals_of_rules) do
        if not is_everywhere(literals) then
            with[#with + 1] = literals
            positions[#with] = position
        else
            without[#without + 1] = position
        end
    end
    return with, positions, without
end

-- Adds the rules of a state to `found`, each once.
local function add_rules(found, rules)
    found = found or {}
    for _, rule in ipairs(rules) do
        if not found[-rule] then
            found[-rule] = true
            found[#found + 1] = rule
        end
    end
    return found
end

-- Returns the rules whose literals occur in the text between its markers.
local function find_rules(trie, text)
    local next_state, is_end, column_of, found = trie.next, trie.is_end, trie.column_of, nil
    local state = trie.start
    for at = 1, #text do
        state = next_state[lshift(state, ROW_BITS) + column_of[byte(text, at)]]
        if is_end[state] == 1 then
            found = add_rules(found, trie.ends[state])
        end
    end
    state = next_state[lshift(state, ROW_BITS) + column_of[TEXT_END]]
    return is_end[state] == 1 and add_rules(found, trie.ends[state]) or found
end

-- Returns a function that returns the indexes of the rules that may match a text of printable ASCII, ascending, or nil.
-- Also returns the automaton, and the indexes of the rules that are not in it and are always tried.
local function new(literals_of_rules)
    local with, positions, always = partition(literals_of_rules)
    local trie = shared_automaton(with)
    for _, rule in ipairs(trie.left_out) do
        always[#always + 1] = positions[rule]
    end
    sort(always)
    local fallback = #always > 0 and always or nil
    return function(text)
        local found = find_rules(trie, text)
        if not found then
            return fallback
        end
        for at = 1, #found do
            found[at] = positions[found[at]]
        end
        for _, rule in ipairs(always) do
            found[#found + 1] = rule
        end
        sort(found)
        return found
    end, trie, always
end

return { new = new, TEXT_END = TEXT_END, ROW_BITS = ROW_BITS }
