-- Checks that the engine allows what the prefilter allows: every target of the vectors, and many that are made of
-- their parts.
--   luajit module/lua/t/prefilter.lua
-- Needs lua-cjson, and PCRE or PCRE2.

local root = arg[0]:match("^(.*)module/lua/t/[^/]*$") or error("run as <root>/module/lua/t/prefilter.lua")
package.path = root .. "module/lua/?.lua;" .. root .. "module/lua/?/init.lua;" .. root .. "module/lua/t/?.lua;" .. package.path

local cjson = require("cjson")
local base64 = require("base64")
local engine = require("guard.engine")
local find = require("pcre")()[1].find
local resolved = require("universal")

local ROUNDS = 40000

local passed, failed, taken = 0, 0, 0

local function check(compiled, method, target)
    if not compiled.passes_prefilter(method, target) then
        return
    end
    taken = taken + 1
    local verdict = engine.evaluate(compiled, { method = method, target = target, headers = {} })
    if not verdict.blocked then
        passed = passed + 1
        return
    end
    failed = failed + 1
    io.stderr:write(("not ok %s %q: %s %s\n"):format(method, target, verdict.reason, tostring(verdict.rule)))
end

-- Without headers and bodies, which the prefilter does not cover.
local function compile(policy)
    local own = resolved(policy)
    own.check_headers, own.check_body = {}, false
    return engine.compile(own, find)
end

local function read(file)
    local handle = assert(io.open(file, "rb"))
    local text = handle:read("*a")
    handle:close()
    return cjson.decode(text)
end

local pieces = { "/", "?", "&", "=", "..", "%2e", ".", "a", "" }

local function run_group(group)
    local compiled = compile(group.policy)
    for _, test in ipairs(group.tests) do
        local request = test.request
        local target = request.targetBase64 and base64(request.targetBase64) or request.target or "/"
        check(compiled, request.method or "GET", target)
        for piece in target:gmatch("[/?&=]*[^/?&=]*") do
            pieces[#pieces + 1] = #piece < 64 and piece or nil
        end
    end
end

local listing = assert(io.popen("ls '" .. root .. "contract/vectors/'verdicts-*.json"))
for file in listing:lines() do
    for _, group in ipairs(read(file)) do
        run_group(group)
    end
end
listing:close()

math.randomseed(1)
local policies = { compile({ checkQuery = true }), compile({ checkQuery = true, blockPatterns = { "b[^/]*a" } }) }
for round = 1, ROUNDS do
    local parts = { "/" }
    for i = 2, math.random(2, 6) do
        parts[i] = pieces[math.random(#pieces)]
    end
    check(policies[round % #policies + 1], "GET", table.concat(parts))
end

assert(taken > ROUNDS / 10, "the prefilter hardly ever passed a target")
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and 0 or 1)
