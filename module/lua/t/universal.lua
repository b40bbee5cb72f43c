-- Converts a policy from the form of guard.json (camelCase, optional keys) to that of the engine.

local tables = require("guard.tables")

local function snake_case(value)
    if type(value) ~= "table" then
        return value
    end
    local out = {}
    for key, member in pairs(value) do
        local name = type(key) == "string" and key:gsub("%u", function(letter) return "_" .. letter:lower() end) or key
        out[name] = snake_case(member)
    end
    return out
end

return function(policy)
    local own = snake_case(policy or {})
    for key, value in pairs(tables.defaults) do
        if own[key] == nil then
            own[key] = value
        end
    end
    for _, rule in ipairs(own.rules) do
        rule.targets = rule.targets or { "path", "query", "body" }
    end
    for _, exception in ipairs(own.exceptions) do
        exception.hosts = exception.hosts or {}
    end
    return own
end
