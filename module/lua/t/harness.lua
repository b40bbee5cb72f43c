-- Common code of the tests under LuaJIT. A test begins with
--   local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")
-- With the argument --fail-fast it ends at the first failure.
-- Needs lua-cjson.

local root = arg[0]:match("^(.*)module/lua/t/[^/]*$") or error("run as <root>/module/lua/t/<test>.lua")
package.path = root .. "module/lua/?.lua;" .. root .. "module/lua/?/init.lua;" .. root .. "module/lua/t/?.lua;" .. package.path

local cjson = require("cjson")
local lua_form = require("lua_form")
local policies = require("guard.policy")

local _M = {}

local passed, failed = 0, 0

function _M.check(what, wanted, got)
    if wanted == got then
        passed = passed + 1
        return
    end
    failed = failed + 1
    io.stderr:write(("not ok %s\n  expected %s\n  got      %s\n"):format(what, tostring(wanted), tostring(got)))
    if arg[1] == "--fail-fast" then
        _M.finish()
    end
end

-- Prints the counts and exits.
function _M.finish()
    print(("%d passed, %d failed"):format(passed, failed))
    os.exit(failed == 0 and passed > 0 and 0 or 1)
end

function _M.read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

-- Calls `visit` with each group of the vectors whose file names match this shell pattern, and with their kind.
function _M.each_group(names, visit)
    local listing = assert(io.popen("ls '" .. root .. "conformance/vectors/'" .. names))
    for path in listing:lines() do
        for _, group in ipairs(cjson.decode(_M.read(path))) do
            visit(group, path:match("([a-z]+)%-[^/]*%.json$"))
        end
    end
    listing:close()
end

-- Resolves a policy in the form of guard.json. `find` is a regex engine.
function _M.resolved(policy, find)
    local own, problems = policies.resolve(lua_form(policy or {}), find)
    return own or error(problems[1].path .. ": " .. problems[1].message)
end

return _M
