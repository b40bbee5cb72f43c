-- Runs the vectors of policies through the check of nginx. Skips vectors about the text of a JSON file, because nginx
-- does not read one.

local cjson = require("cjson")
local policies = require("guard.policy")
local base64 = require("base64")
local lua_form = require("lua_form")

-- Whether a Lua table cannot represent the vector: it tests text, duplicate keys, or an empty list where an object is
-- expected.
local function is_about_text(test, text)
    for _, problem in ipairs(test.problems or {}) do
        local is_empty = text:find("[]", 1, true) or text:find("{}", 1, true)
        if problem.kind == "syntax" or problem.kind == "wrong_type" and is_empty then
            return true
        end
    end
    return false
end

local function snake_key(key)
    return (key:gsub("%u", function(letter) return "_" .. letter:lower() end))
end

local function snake_path(path)
    local before, header = path:match("^(.-headers)(.*)$")
    return before and snake_key(before) .. header or snake_key(path)
end

local function places(problems, path_of)
    local list = {}
    for i, problem in ipairs(problems) do
        list[i] = problem.kind .. " " .. path_of(problem.path):gsub("%f[%w_]_+", "")
    end
    table.sort(list)
    return table.concat(list, ", ")
end

local function check_resolved(check, id, wanted, got)
    for key, value in pairs(wanted) do
        local found = got[key]
        if found == nil and type(key) == "string" then
            found = got[snake_key(key)]
        end
        if type(value) == "table" then
            check(id .. " " .. key .. " is a table", "table", type(found))
            check_resolved(check, id .. "." .. key, value, type(found) == "table" and found or {})
        else
            check(id .. " " .. key, tostring(value), tostring(found))
        end
    end
end

local function run(check, find, test)
    local text = test.textBase64 and base64(test.textBase64) or test.text
    local ok, written = pcall(cjson.decode, text)
    if not ok or type(written) ~= "table" or is_about_text(test, text) then
        return
    end
    local policy, problems = policies.resolve(lua_form(written), find)
    if test.ok then
        check(test.id, "", places(problems or {}, tostring))
        check_resolved(check, test.id, test.resolved or {}, policy or {})
    else
        check(test.id, places(test.problems, snake_path), places(problems or {}, tostring))
    end
end

-- Runs a group. `check(id, wanted, got)` counts results; `find` is a regex engine.
return function(check, find, group)
    for _, test in ipairs(group.tests) do
        run(check, find, test)
    end
end
