-- The exceptions that the applications of a policy mean.

local tables = require("guard.policy.tables")

-- Returns the base path as a pattern. Of its characters only the dot means something else in a pattern.
local function base_pattern(path)
    return "^" .. path:gsub("/$", ""):gsub("%.", "\\.")
end

-- Appends the exceptions that the applications of a policy mean.
return function(policy)
    local list = policy.exceptions
    for _, entry in ipairs(policy.applications) do
        local profile = tables.applications[entry.name]
        local base = base_pattern(entry.base_path or profile.base_path)
        for _, passage in ipairs(profile.passages) do
            local rules = passage.rules == "files" and tables.file_rules or passage.rules
            list[#list + 1] = { rules = rules, path = base .. passage.path, hosts = entry.hosts, clients = {} }
        end
    end
end
