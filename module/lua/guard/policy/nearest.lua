-- Finds the valid word that a user may have intended.

local byte, gsub, lower = string.byte, string.gsub, string.lower
local floor, huge, min = math.floor, math.huge, math.min

local LONGEST_WORD = 64 -- no key is longer, and the comparison is quadratic

-- Counts insertions, deletions, replacements and swaps of adjacent characters (optimal string alignment).
local function edit_distance(a, b)
    local before_last, last = {}, {}
    for column = 0, #b do
        last[column] = column
    end
    for i = 1, #a do
        local row = { [0] = i }
        for j = 1, #b do
            local replaced = last[j - 1] + (byte(a, i) == byte(b, j) and 0 or 1)
            local is_swap = i > 1 and j > 1 and byte(a, i) == byte(b, j - 1) and byte(a, i - 1) == byte(b, j)
            row[j] = min(replaced, last[j] + 1, row[j - 1] + 1, is_swap and before_last[j - 2] + 1 or huge)
        end
        before_last, last = last, row
    end
    return last[#b]
end

local function normalized(word)
    return (gsub(lower(word), "[_-]", ""))
end

-- Returns the entry of `known` that differs from `word` only in case, dashes and underscores. Otherwise returns the
-- nearest entry, or nil when more than a third of `word` would have to be edited.
return function(word, known)
    if #word > LONGEST_WORD then
        return nil
    end
    local best, distance = nil, floor(#word / 3) + 1
    for _, candidate in ipairs(known) do
        if normalized(candidate) == normalized(word) then
            return candidate
        end
        local edits = edit_distance(lower(word), candidate)
        if edits < distance then
            best, distance = candidate, edits
        end
    end
    return best
end
