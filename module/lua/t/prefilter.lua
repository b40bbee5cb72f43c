-- Checks that the engine allows everything that the prefilter allows: every target of the vectors, and many targets
-- made from their parts. Also checks that a plain request with custom rules needs no regular expression, and that no
-- rule is lost when there are too many literals.
--   luajit module/lua/t/prefilter.lua
-- Needs lua-cjson, and PCRE or PCRE2.

local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")

local base64 = require("base64")
local engine = require("guard.engine")
local new_prefilter = require("guard.engine.prefilter").new
local limits = require("guard.tables").limits
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

-- Compiles a policy without headers and bodies, which the prefilter does not cover.
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

-- Uses the maximum number of custom rules of a policy, and of pairs of a query.
local function check_custom_rules()
    local calls = 0
    local function counting(subject, pattern)
        calls = calls + 1
        return find(subject, pattern)
    end
    local policy = { checkQuery = true, blockPatterns = {}, allowPatterns = {}, rules = {} }
    for i = 1, limits.policy_rules do
        policy.blockPatterns[i] = ("(?i)^/app%d/[a-z]+\\.php$"):format(i)
        policy.allowPatterns[i] = ("^/static%d/"):format(i)
        policy.rules[i] = { id = "own-" .. i, action = "block", pattern = "internal" .. i .. "[0-9]+" }
    end
    local compiled = engine.compile(harness.resolved(policy, find), counting)
    local pairs_of_query = {}
    for i = 1, limits.query_pairs do
        pairs_of_query[i] = "k" .. i .. "=v/" .. i
    end
    local target = "/x?" .. table.concat(pairs_of_query, "&")
    engine.evaluate(compiled, { method = "GET", target = target, headers = {} })
    harness.check("regular expressions of a plain request", 0, calls)
    engine.evaluate(compiled, { method = "GET", target = "/x?a=internal7", headers = {} })
    harness.check("regular expressions of a request with the literal of one rule", 1, calls)
end

-- Uses more literals than fit into the automaton. Their rules are always tried.
local function check_overflow()
    local rules, count = {}, 8000
    for i = 1, count do
        rules[i] = { ("%012d"):format(i * 7919 * 104729 % 10 ^ 12) }
    end
    local prefilter = new_prefilter(rules)
    for i = 1, count, 7 do
        local found = {}
        for _, rule in ipairs(prefilter("/" .. rules[i][1]) or {}) do
            found[rule] = true
        end
        harness.check("rule " .. i .. " of " .. count, true, found[i])
    end
end

check_custom_rules()
check_overflow()
assert(taken > ROUNDS / 10, "the prefilter hardly ever passed a target")
harness.finish()
