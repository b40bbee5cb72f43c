-- Finds the first rule that matches a candidate.

local new_prefilter = require("guard.engine.prefilter").new

-- Returns a matcher of the rules for targets of `kind`. `find(candidate, pattern)` returns whether the pattern matches,
-- and an error of the regex engine. The second result is a filter for the prefilters. A rule without a literal in its
-- automaton must always be tried.
return function(rules, kind, find)
    local mine, literals = {}, {}
    for _, rule in ipairs(rules) do
        if rule.targets[kind] then
            mine[#mine + 1] = rule
            literals[#mine] = rule.literals
        end
    end
    local prefilter, automaton, always = new_prefilter(literals)

    -- Returns nil and true when the regex engine failed on a block rule. A failure on an allow rule counts as no match.
    return function(candidate, is_off, pause, is_met)
        for _, index in ipairs(prefilter(candidate) or {}) do
            if pause then
                pause()
            end
            local rule = mine[index]
            local matches, err = find(candidate, rule.pattern)
            local is_block = rule.action == "block"
            if (matches or (err and is_block)) and (not is_met or is_met(rule))
                and not (is_block and is_off and is_off(rule)) then
                if err then
                    return nil, true
                end
                return rule
            end
        end
    end, { automaton = automaton, has_rule_without_literal = #always > 0 }
end
