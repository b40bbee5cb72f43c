-- Checks the total size of the patterns of a policy.

local bytes_of = require("guard.pattern").bytes
local most = require("guard.tables").limits.policy_pattern_bytes

-- Reports the longest pattern when all patterns together exceed the bound.
return function(reader, policy)
    local total, longest, longest_path = 0, 0, nil
    local function count(path, pattern)
        local bytes = pattern and bytes_of(pattern) or 0
        total = total + bytes
        if bytes > longest then
            longest, longest_path = bytes, path
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
    if total > most then
        reader.add("out_of_range", longest_path,
            ("expected at most %d bytes in all patterns of the policy, with counts written out, found %d: %d in this one, the longest")
                :format(most, total, longest))
    end
end
