-- A policy in the form of nginx: guard.json with its keys in snake_case, as a Lua table.

local expand_applications = require("guard.policy.applications")
local check_ids = require("guard.policy.ids")
local forms = require("guard.policy.forms")
local pattern_bytes = require("guard.pattern").bytes
local presets = require("guard.policy.presets")
local problems = require("guard.policy.problems")
local read = require("guard.policy.read")
local response = require("guard.policy.response")
local schema = require("guard.policy.schema")
local most_pattern_bytes = require("guard.tables").limits.policy_pattern_bytes

local _M = {}

-- Replaces a list that was refused for its type by an empty list, so that later checks can iterate over it.
local function fill_refused_lists(policy)
    local lists = { "disabled_rules", "block_patterns", "allow_patterns", "rules", "exceptions", "applications" }
    for _, key in ipairs(lists) do
        policy[key] = policy[key] or {}
    end
    return policy
end

-- Reports the longest pattern when all patterns together exceed the bound.
local function check_pattern_bytes(reader, policy)
    local total, longest, longest_path = 0, 0, nil
    local function count(path, pattern)
        local bytes = pattern and pattern_bytes(pattern) or 0
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
    if total > most_pattern_bytes then
        reader.add("out_of_range", longest_path,
            ("expected at most %d bytes in all patterns of the policy, with counts written out, found %d: %d in this one, the longest")
                :format(most_pattern_bytes, total, longest))
    end
end

-- Returns the policy with its defaults, or nil and a list of {kind =, path =, message =}. Secrets stay unchanged.
function _M.resolve(written, find)
    local found = problems.new()
    local reader = { add = found.add, find = find, path = read.path }
    if type(written) ~= "table" then
        found.add("wrong_type", "", "expected a table")
        return nil, found.list
    end
    local policy = read.value(reader, schema, "", written)
    if policy.response then
        response.complete(reader, "response", policy.response)
    end
    if policy.ban_list and policy.ban_list.response then
        response.complete(reader, "ban_list.response", policy.ban_list.response)
    end
    check_ids(reader, fill_refused_lists(policy))
    check_pattern_bytes(reader, policy)
    if #found.list > 0 then
        return nil, found.list
    end
    for _, exception in ipairs(policy.exceptions) do
        exception.clients = presets.expand(exception.clients)
    end
    expand_applications(policy)
    policy.allowed_ips = presets.expand(policy.allowed_ips)
    policy.trusted_proxies = presets.expand(policy.trusted_proxies)
    return policy
end

local function from_environment(text, key)
    local name = text and forms.environment_name(text)
    if not name then
        return text
    end
    local value = os.getenv(name)
    if value == nil or value == "" then
        error(("guard: %s: the environment variable %s is not set; pass it to nginx with `env %s;`")
            :format(key, name, name), 0)
    end
    return value
end

-- Checks the secret in a variable: the bounds apply to it too, because a client that guesses the secret can forge
-- passes.
local function check_secret(value)
    local least, most = schema.members.secret.min, schema.members.secret.max
    if value and (#value < least or #value > most) then
        error(("guard: secret: expected %d to %d bytes in the environment variable, found %d")
            :format(least, most, #value), 0)
    end
end

-- Resolves a policy and replaces secrets by the values of their environment variables. Throws an error that names the
-- wrong keys, or the variable that is not set.
function _M.load(written, find)
    local policy, list = _M.resolve(written, find)
    if not policy then
        error("guard: the policy is refused\n" .. problems.text(list), 0)
    end
    policy.secret = from_environment(policy.secret, "secret")
    check_secret(policy.secret)
    local captcha = policy.response.captcha
    if captcha then
        captcha.secret_key = from_environment(captcha.secret_key, "response.captcha.secret_key")
    end
    return policy
end

return _M
