-- Checks that the engine allows the targets that the prefilter allows, and that its verdicts on bodies do not depend on
-- the prefilter. Uses every target and body of the vectors, and many random targets and bodies. Also checks that a
-- plain request with custom rules needs no regular expression, and that no rule is lost when there are too many
-- literals.
--   luajit module/lua/t/prefilter.lua
-- Needs lua-cjson, and PCRE or PCRE2.

local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")

local base64 = require("base64")
local engine = require("guard.engine")
local exploits = require("guard.engine.exploits")
local new_prefilter = require("guard.engine.prefilter").new
local tables = require("guard.tables")
local limits = tables.limits
local find = require("pcre")()[1].find

local ROUNDS = 40000

local passed_targets, passed_bodies = 0, 0

local function check(compiled, method, target)
    if compiled.passes_prefilter(method, target) then
        passed_targets = passed_targets + 1
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

-- Returns two compiled policies: one counts the bodies that its prefilter passes, the other has no prefilter of bodies.
local function compile_bodies(policy)
    policy.methods, policy.checkBody = { "*" }, true
    local compiled = engine.compile(harness.resolved(policy, find), find)
    local passes = compiled.passes_body_prefilter
    local function with(passes_body_prefilter)
        return setmetatable({ passes_body_prefilter = passes_body_prefilter }, { __index = compiled })
    end
    return with(function(...)
        local does_pass = passes(...)
        passed_bodies = passed_bodies + (does_pass and 1 or 0)
        return does_pass
    end), with(function() return false end)
end

local function check_body(with, without, content_type, body)
    local function verdict_of(compiled)
        local verdict = engine.evaluate(compiled, { method = "POST", target = "/", body = body, host = "", ip = "192.0.2.1",
            headers = { { "Content-Type", content_type } } })
        return ("%s rule=%s candidate=%s"):format(verdict.reason, tostring(verdict.rule), tostring(verdict.candidate))
    end
    harness.check(("%s %q"):format(content_type, body), verdict_of(without), verdict_of(with))
end

-- Returns two compiled policies with all rules about exploits. The other one tries each rule on each body.
local function compile_exploits()
    local compiled = engine.compile(harness.resolved({ exploits = "all", methods = { "*" } }, find), find)
    local every = setmetatable({}, { __index = function() return true end })
    local filter = setmetatable({ find = function() return every end }, { __index = compiled.body_filter })
    return compiled, setmetatable({ body_filter = filter }, { __index = compiled })
end

local rules_with_literals = {}
for _, rule in ipairs(tables.rules) do
    rules_with_literals[rule.id] = rule.body_literals
end

local filtered, unfiltered = compile_exploits()
local clean_bodies = 0

local function check_exploits(content_type, body)
    local request = { method = "POST", target = "/", body = body, host = "", ip = "192.0.2.1", pause = function() end,
        headers = { { "Content-Type", content_type } } }
    local expected = engine.evaluate(unfiltered, request).rule
    local name = ("exploits, %s %q"):format(content_type, body)
    harness.check(name, expected, engine.evaluate(filtered, request).rule)
    if exploits.is_body_clean(filtered, request) then
        clean_bodies = clean_bodies + 1
        harness.check(name .. ", clean", nil, rules_with_literals[expected])
    end
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

-- Uses more literals than fit into the automaton: the engine then tries their rules on every text.
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

-- Checks that the prefilter passes no body above its bound: the readings of such a body can reach limits.
local function check_length()
    local compiled, longest = compile_bodies({}), limits.query_bytes
    for kind, start in pairs({ form = "a=", json = '"a",' }) do
        for length, passes in pairs({ [longest] = true, [longest + 1] = false }) do
            local body = start .. ("1"):rep(length - #start)
            harness.check(kind .. " of " .. length .. " bytes", passes, compiled.passes_body_prefilter(kind, body))
        end
    end
end

check_custom_rules()
check_overflow()
check_length()

local FORM, JSON = "application/x-www-form-urlencoded", "application/json"
local pieces = { "/", "?", "&", "=", "..", "%2e", ".", "a", "" }
local form_pieces = { ".env", "etc/passwd", "%2Fb", "%2Fc", "%2Bd", "file=", "FILE=", "file[]=", "[file]=", "%66ile=", "+file=", "passwd", "L2V0Yy9wYXNzd2Q", "&", "=", "+", "%", "%20", "%2e", "%2F", "%2B", "%22", "%25",
    "%5c", ".", "/", ";" }
local json_pieces = { ".env", "%20", '"', '","', "\\", "\\/", '\\"', "\\u002e", "\\n", "{", "]", ":", "//", "true", "'",
    "https://", "http://h", "?", "\\u002f", "\\/\\/", "\195\169", "\226\128\139", "backup.sql", "a." }

local function run_group(group)
    local compiled = compile(group.policy)
    local with, without = compile_bodies(group.policy or {})
    for _, test in ipairs(group.tests) do
        local request = test.request
        local target = request.targetBase64 and base64(request.targetBase64) or request.target or "/"
        check(compiled, request.method or "GET", target)
        for piece in target:gmatch("[/?&=]*[^/?&=]*") do
            pieces[#pieces + 1] = #piece < 64 and piece or nil
        end
        local body = request.bodyBase64 and base64(request.bodyBase64) or request.body
        for _, header in ipairs(body and request.headers or {}) do
            check_body(with, without, header[2], body)
            check_exploits(header[2], body)
        end
    end
end

harness.each_group("verdicts-*.json", run_group)

local function random_text(start, list)
    local parts = { start }
    for i = 2, math.random(2, 6) do
        local chosen = math.random(2) == 1 and list or pieces
        parts[i] = chosen[math.random(#chosen)]
    end
    return table.concat(parts)
end

local exploit_pieces = { "0x[]=androx", "0x%5B%5D=androx", "%255D=androx", "0x", "[", "]", "=", "&", "%3D", "androx", "\n", "\\u0061ndrox", "%",
    '"@type":"com.zaxxer.', "\\u0022@type", "\\", '":"com.zaxxer.', "hello+world" }

math.randomseed(1)
local open = { checkQuery = true, blockPatterns = { "b[^/]*a" } }
local policies = { compile({ checkQuery = true }), compile(open) }
for round = 1, ROUNDS do
    check(policies[round % #policies + 1], "GET", random_text("/", round % 4 < 2 and pieces or form_pieces))
end
for _ = 1, ROUNDS / 10 do
    check_exploits(FORM, random_text("", exploit_pieces))
    check_exploits(JSON, random_text("{", exploit_pieces))
end
local escaped = { blockPatterns = { "/b$", "%2Fc$", "%2Bd", "^%2Fe" } }
for _, policy in ipairs({ {}, { bodyOverflow = "block" }, open, escaped }) do
    local with, without = compile_bodies(policy)
    for _ = 1, ROUNDS / 10 do
        check_body(with, without, FORM, random_text("a=", form_pieces))
        check_body(with, without, JSON, random_text('["', json_pieces) .. '"]')
        check_body(with, without, JSON, random_text('["https://h/', json_pieces) .. '"]')
    end
end

-- Readings without a final dot or slash, for patterns whose literal counts only at the end of a text.
local ending = { checkQuery = true, blockPatterns = { "/b$", "^file=b$" } }
for _, target in ipairs({ "/b.?x=1", "/x?a=/b.&c=1", "/x?a=/b.", "/x?file=b", "/x?a=%78/b/&c=1" }) do
    check(compile(ending), "GET", target)
end
-- Without the built-in rules, because one of them has the key as its literal.
check(compile({ checkQuery = true, enableDefaultPatterns = false, blockPatterns = { "^file=b$" } }), "GET", "/x?file=b")
local with_ending, without_ending = compile_bodies({ blockPatterns = ending.blockPatterns })
for _, body in ipairs({ "a=/b.&c=1", "a=%78/b/", "a=%78/b/&c=1", "file=b" }) do
    check_body(with_ending, without_ending, FORM, body)
end
-- Escapes that are separators, and literals of texts as sent.
local separators = compile({ checkQuery = true, blockPatterns = { "k&c", "k=c" } })
for _, target in ipairs({ "/x?a=k%26c", "/x?a=k%3Dc" }) do
    check(separators, "GET", target)
end
local with_escaped, without_escaped = compile_bodies({ blockPatterns = escaped.blockPatterns })
for _, body in ipairs({ "a=%2Fc/", "a=x%2Fc/&c=1", "a=x%2Bd/", "a=%41&b=x%2Fc", "a=x%2Bdx", "a=%41&b=%2Fex" }) do
    check_body(with_escaped, without_escaped, FORM, body)
end
for _, body in ipairs({ '{"a":"/b."}', '{"a":"%78/b/"}', '["/b.", "c"]' }) do
    check_body(with_ending, without_ending, JSON, body)
end

assert(passed_targets > ROUNDS / 10, "the prefilter hardly ever passed a target")
assert(passed_bodies > ROUNDS / 100, "the prefilter hardly ever passed a body")
assert(clean_bodies > ROUNDS / 100, "hardly ever a body was clean")
harness.finish()
