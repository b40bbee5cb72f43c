-- The rules of a policy in order of evaluation.

local exploits = require("guard.engine.exploits")
local header_index = require("guard.engine.header_index")
local literals_of = require("guard.pattern").literals
local builtin = require("guard.tables").rules

local _M = {}

local ALL_KINDS = { "path", "query", "body" }

local function set_of(names)
    local set = {}
    for _, name in ipairs(names) do
        set[name] = true
    end
    return set
end

local function custom_rule(id, action, pattern, targets)
    local listed = {}
    for i, target in ipairs(targets) do
        listed[i] = header_index.normalize(target)
    end
    return {
        id = id,
        action = action,
        pattern = pattern,
        targets = set_of(listed),
        listed = listed,
        is_custom = true,
        literals = literals_of(pattern),
    }
end

local function add_custom_rules(policy, action, list)
    for i, pattern in ipairs(policy[action .. "_patterns"]) do
        list[#list + 1] = custom_rule(action .. "[" .. (i - 1) .. "]", action, pattern, ALL_KINDS)
    end
    for _, rule in ipairs(policy.rules) do
        if rule.action == action then
            list[#list + 1] = custom_rule(rule.id, action, rule.pattern, rule.targets)
        end
    end
end

local switches = { allow = "enable_default_allow_patterns", block = "enable_default_patterns" }

local function is_on(rule, policy)
    if rule.exploits then
        return exploits.are_on(rule, policy)
    end
    return policy[switches[rule.action]] and (not rule.extended or policy.builtin_rules == "extended")
end

local function add_builtin_rules(policy, action, disabled, list)
    for _, rule in ipairs(builtin) do
        if rule.action == action and is_on(rule, policy) and not disabled[rule.id] then
            list[#list + 1] = rule
        end
    end
end

-- Returns allow rules, then block rules; in each group custom patterns, custom rules, built-in rules.
function _M.of(policy)
    local list, disabled = {}, set_of(policy.disabled_rules)
    for _, action in ipairs({ "allow", "block" }) do
        add_custom_rules(policy, action, list)
        add_builtin_rules(policy, action, disabled, list)
    end
    return list
end

return _M
