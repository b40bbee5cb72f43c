-- Checks that rule ids are unique, and that references to rules name existing rules.

local quoted = require("guard.policy.problems").quoted
local builtin = require("guard.tables").rules

-- Checks the ids of custom rules, and adds the ids of block rules to `known` with the value true. The value of a
-- built-in rule in `known` is whether it blocks.
local function add_custom(reader, rules, known)
    local first = {}
    for i, rule in ipairs(rules) do
        local path = ("rules[%d].id"):format(i - 1)
        if rule.id and first[rule.id] then
            reader.add("conflict", path, ("rules[%d] has this id already"):format(first[rule.id] - 1))
        elseif rule.id and known[rule.id] ~= nil then
            reader.add("conflict", path, quoted(rule.id) .. " is the id of a built-in rule; take another")
        elseif rule.id then
            first[rule.id] = i
        end
    end
    for _, rule in ipairs(rules) do
        if rule.id and rule.action == "block" then
            known[rule.id] = true
        end
    end
end

return function(reader, policy)
    local known = {}
    for _, rule in ipairs(builtin) do
        known[rule.id] = known[rule.id] or rule.action == "block"
    end
    for i, id in ipairs(policy.disabled_rules) do
        if known[id] == nil then
            local message = "expected the id of a built-in rule, found " .. quoted(id)
            reader.add("bad_value", ("disabled_rules[%d]"):format(i - 1), message)
        end
    end
    add_custom(reader, policy.rules, known)
    for i in ipairs(policy.block_patterns) do
        known[("block[%d]"):format(i - 1)] = true
    end
    for i, exception in ipairs(policy.exceptions) do
        for k, id in ipairs(exception.rules or {}) do
            if not known[id] then
                local message = "expected the id of a block rule, found " .. quoted(id)
                reader.add("bad_value", ("exceptions[%d].rules[%d]"):format(i - 1, k - 1), message)
            end
        end
    end
end
