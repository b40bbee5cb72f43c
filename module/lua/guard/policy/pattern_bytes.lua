-- The bound on the patterns of a policy together.

local most = require("guard.tables").limits.policy_pattern_bytes

-- Reports the first pattern beyond the bound, with the size of all of them.
return function(reader, policy)
    local bytes, beyond = 0, nil
    local function count(path, pattern)
        bytes = bytes + #(pattern or "")
        if bytes > most then
            beyond = beyond or path
        end
    end
    for i, pattern in ipairs(policy.block_patterns) do
        count(("block_patterns[%d]"):format(i - 1), pattern)
    end
    for i, pattern in ipairs(policy.allow_patterns) do
        count(("allow_patterns[%d]"):format(i - 1), pattern)
    end
    for i, rule in ipairs(policy.rules) do
        count(("rules[%d].pattern"):format(i - 1), rule.pattern)
    end
    for i, exception in ipairs(policy.exceptions) do
        count(("exceptions[%d].path"):format(i - 1), exception.path)
    end
    if beyond then
        reader.add("out_of_range", beyond,
            ("expected at most %d bytes in all patterns of the policy, found %d"):format(most, bytes))
    end
end
