-- Checks that the engine allows what the prefilter allows: every target of the vectors, and many that are made of
-- their parts.
--   luajit module/lua/t/prefilter.lua
-- Needs lua-cjson, and PCRE or PCRE2.

local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")

local base64 = require("base64")
local engine = require("guard.engine")
local find = require("pcre")()[1].find

local ROUNDS = 40000

local taken = 0

local function check(compiled, method, target)
    if compiled.passes_prefilter(method, target) then
        taken = taken + 1
        local verdict = engine.evaluate(compiled, { method = method, target = target, headers = {} })
        harness.check(("%s %q (%s)"):format(method, target, verdict.reason), false, verdict.blocked)
    end
end

-- Without headers and bodies, which the prefilter does not cover.
local function compile(policy)
    local own = harness.resolved(policy, find)
    own.check_headers, own.check_body = {}, false
    return engine.compile(own, find)
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

harness.each_group("verdicts-*.json", run_group)

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
harness.finish()
