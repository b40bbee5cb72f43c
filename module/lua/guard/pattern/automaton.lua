-- An automaton for a repeated group: positions with their sets of characters, and edges between them.

local sets = require("guard.pattern.set")

local max, min = math.max, math.min

local _M = {}
_M.__index = _M

-- Returns an automaton with at most `most` edges, and `most_pairs` pairs of positions of two runs. Beyond a bound it
-- counts as ambiguous.
function _M.new(most, most_pairs)
    return setmetatable({
        most = most,
        most_pairs = most_pairs,
        sets = {},
        next = {},
        edges = 0,
        pair_count = 0,
        has_ambiguity = false,
    }, _M)
end

-- Adds a position whose character is one of `members`.
function _M:add(members)
    self.sets[#self.sets + 1] = members
    self.next[#self.sets] = {}
    return #self.sets
end

-- Adds an edge from each position in `from` to each position in `to`. Both are lists of {position, count}.
function _M:connect(from, to)
    for _, one in ipairs(from) do
        for _, other in ipairs(to) do
            if self.has_ambiguity then
                return
            end
            local next_positions = self.next[one[1]]
            self.has_ambiguity = one[2] * other[2] > 1 or next_positions[other[1]] ~= nil or self.edges == self.most
            self.edges = self.edges + 1
            next_positions[other[1]] = true
        end
    end
end

-- Adds the next positions of two runs to `pairs_left`. Returns whether the runs can meet, or true beyond the bound on
-- pairs.
function _M:step(one, other, seen, pairs_left)
    for left in pairs(self.next[one]) do
        for right in pairs(self.next[other]) do
            local key = min(left, right) * (#self.sets + 1) + max(left, right)
            if left == right and one ~= other then
                return true
            elseif left ~= right and not seen[key] and sets.intersects(self.sets[left], self.sets[right]) then
                if self.pair_count == self.most_pairs then
                    return true
                end
                self.pair_count = self.pair_count + 1
                seen[key] = true
                pairs_left[#pairs_left + 1] = { left, right }
            end
        end
    end
    return false
end

-- Whether one text has two different runs from a position back to itself.
function _M:is_ambiguous()
    local seen, pairs_left = {}, {}
    for position = 1, self.has_ambiguity and 0 or #self.sets do
        self.has_ambiguity = self.has_ambiguity or self:step(position, position, seen, pairs_left)
    end
    while #pairs_left > 0 and not self.has_ambiguity do
        local pair = table.remove(pairs_left)
        self.has_ambiguity = self:step(pair[1], pair[2], seen, pairs_left)
    end
    return self.has_ambiguity
end

return _M
