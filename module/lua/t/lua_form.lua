-- Converts a policy of guard.json (camelCase) to the form of nginx with keys in snake_case.

local keys_of_files = { ["$schema"] = true, tcp = true }

local function snake_key(key)
    return (key:gsub("%u", function(letter) return "_" .. letter:lower() end))
end

-- Converts keys. Names of headers stay unchanged. A key that is already in snake_case is unknown in guard.json, so it
-- is converted to an unknown key.
local function lua_form(value, holder)
    if type(value) ~= "table" then
        return value
    end
    local out = {}
    for key, member in pairs(value) do
        local name = key
        if type(key) == "string" and holder ~= "headers" then
            name = key:find("_", 1, true) and "_" .. key or snake_key(key)
        end
        if holder ~= "" or not keys_of_files[key] then
            out[name] = lua_form(member, type(key) == "string" and key or holder)
        end
    end
    return out
end

return function(policy)
    return lua_form(policy, "")
end
