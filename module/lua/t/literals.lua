-- Checks the literals of patterns: those of the built-in rules are the generated ones, and no pattern of the vectors
-- matches a text without one of its literals.
--   luajit module/lua/t/literals.lua
-- Needs lua-cjson, and PCRE or PCRE2.

local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")

local pattern = require("guard.pattern")
local tables = require("guard.tables")
local find = require("pcre")()[1].find

local TEXTS = 200

local function shown(literals)
    return (table.concat(literals, " "):gsub("\1", "^"):gsub("\2", "$"))
end

for _, rule in ipairs(tables.rules) do
    harness.check("literals of " .. rule.id, shown(rule.literals), shown(pattern.literals(rule.pattern)))
end

local function holds_one(text, literals)
    local marked = "\1" .. text:lower() .. "\2"
    for _, literal in ipairs(literals) do
        if literal ~= "" and marked:find(literal, 1, true) then
            return true
        end
    end
    return #literals == 0
end

-- Returns a text of random parts of the source of a pattern, which the pattern can match.
local function random_text(source)
    local characters = {}
    for i = 1, math.random(0, 8) do
        local at = math.random(#source + 1)
        characters[i] = source:sub(at, at + math.random(0, 3))
    end
    return table.concat(characters)
end

math.randomseed(1)
local matched = 0
harness.each_group("regex-accepted.json", function(group)
    for _, test in ipairs(group.tests) do
        local literals = pattern.literals(test.pattern)
        for _ = 1, TEXTS do
            local text = random_text(test.pattern)
            if find(text, test.pattern) then
                matched = matched + 1
                harness.check(("%s %q"):format(test.id, text), true, holds_one(text, literals))
            end
        end
    end
end)
assert(matched > TEXTS, "hardly any text matched")
harness.finish()
