-- Builds tables of finite machines: one look-up for each byte.

local ffi = require("ffi")

local lshift = bit.lshift

-- The state behind a byte that a machine does not accept. It is never left.
local STOP = 0
-- The state in front of a text.
local START = 1

-- Builds a machine. `step(name, code)` returns the name of the state after a byte, or nil for STOP. Returns the table of
-- the next state at index `state * 256 + code`, and the names of all states but STOP.
local function build(first, step)
    local names, number_of, nexts = { first }, { [first] = START }, {}
    local state = START
    while names[state] do
        for code = 0, 255 do
            local name = step(names[state], code)
            if name and not number_of[name] then
                names[#names + 1] = name
                number_of[name] = #names
            end
            nexts[lshift(state, 8) + code] = name and number_of[name] or STOP
        end
        state = state + 1
    end
    local table = ffi.new("uint16_t[?]", lshift(state, 8))
    for slot = lshift(START, 8), lshift(state, 8) - 1 do
        table[slot] = nexts[slot]
    end
    return table, names
end

return { STOP = STOP, START = START, build = build }
