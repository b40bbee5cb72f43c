-- Runs the conformance vectors (conformance/vectors) through the Lua engine, under LuaJIT and without nginx:
--   luajit module/lua/t/vectors.lua
-- Needs lua-cjson, and PCRE or PCRE2.

local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")

local engine = require("guard.engine")
local pattern = require("guard.pattern")
local policies = require("guard.policy")
local tables = require("guard.tables")
local upgrades = require("guard.engine.upgrades")
local view = require("guard.engine.view")
local engines = require("pcre")()
local base64 = require("base64")
local run_policies = require("policies")

local check = harness.check

assert(#engines > 0, "neither libpcre.so.3 nor libpcre2-8.so.0 is installed")

local function bytes_of(object, key)
    local encoded = object[key .. "Base64"]
    return encoded and base64(encoded) or object[key]
end

local function headers_of(request)
    local headers = {}
    for i, header in ipairs(request.headers or {}) do
        headers[i] = { header[1], type(header[2]) == "table" and base64(header[2].base64) or header[2] }
    end
    return headers
end

local function run_verdict(compiled, test)
    local request = test.request
    local verdict = engine.evaluate(compiled, {
        method = request.method or "GET",
        target = bytes_of(request, "target") or "/",
        rewritten = bytes_of(request, "rewritten"),
        headers = headers_of(request),
        body = bytes_of(request, "body"),
        ip = request.ip,
        host = request.host,
    })
    local fields = { verdict.blocked and "blocked" or "allowed", verdict.reason }
    local wanted = { test.expect.verdict, test.expect.reason }
    for _, key in ipairs({ "target", "candidate", "rule" }) do
        fields[#fields + 1] = key .. "=" .. tostring(verdict[key])
        wanted[#wanted + 1] = key .. "=" .. tostring(test.expect[key])
    end
    local seen, wanted_seen = verdict.body or {}, test.expect.body or {}
    for _, key in ipairs({ "overflow", "values", "bytes" }) do
        fields[#fields + 1] = key .. "=" .. tostring(seen[key])
        wanted[#wanted + 1] = key .. "=" .. tostring(wanted_seen[key])
    end
    check(test.id, table.concat(wanted, " "), table.concat(fields, " "))
end

local runners = {}

function runners.candidates(group)
    for _, test in ipairs(group.tests) do
        local candidates, limit = view(bytes_of(test, "input"), tables.limits.path_bytes, { used = 0, pause = function() end }, true)
        local wanted = table.concat(test.candidates, "\n") .. "\n" .. tostring(test.limit)
        check(test.id, wanted, table.concat(candidates, "\n") .. "\n" .. tostring(limit))
    end
end

function runners.verdicts(group)
    for _, regex_engine in ipairs(engines) do
        local compiled = engine.compile(harness.resolved(group.policy, regex_engine.find), regex_engine.find)
        for _, test in ipairs(group.tests) do
            run_verdict(compiled, test)
        end
    end
end

-- Returns the lines of a header as nginx's Lua module does: nil, a text, or a list.
local function lines_of(headers, name)
    local lines = {}
    for _, header in ipairs(headers) do
        if header[1]:lower() == name then
            lines[#lines + 1] = header[2]
        end
    end
    return #lines > 1 and lines or lines[1]
end

local function shown(refused, upgrade, connection, settings)
    local texts = { "refused=" .. tostring(refused) }
    for _, lines in ipairs({ upgrade or "none", connection or "none", settings or "none" }) do
        texts[#texts + 1] = type(lines) == "table" and table.concat(lines, "|") or lines
    end
    return table.concat(texts, " ")
end

function runners.upgrades(group)
    local allowed = upgrades.set(group.allowUpgrades)
    for _, test in ipairs(group.tests) do
        local headers = headers_of(test)
        local upgrade, connection = lines_of(headers, "upgrade"), lines_of(headers, "connection")
        local settings = lines_of(headers, "http2-settings")
        local refused = upgrades.refused(upgrade, allowed)
        if refused then
            local keeps_settings
            upgrade, connection, keeps_settings = upgrades.kept(upgrade, connection, allowed)
            settings = keeps_settings and settings
        end
        local wanted = type(test.refused) == "table" and base64(test.refused.base64) or test.refused
        check(test.id, shown(wanted, test.kept.upgrade, test.kept.connection, test.kept["http2-settings"]),
            shown(refused, upgrade, connection, settings))
    end
end

-- Checks that each pattern that the grammar accepts compiles with every regex engine of nginx.
function runners.regex(group)
    for _, test in ipairs(group.tests) do
        for _, regex_engine in ipairs(engines) do
            if test.ok then
                check(test.id .. " " .. regex_engine.name, true, (pcall(regex_engine.find, "", test.pattern)))
            end
        end
        local _, refusal = pattern.parse(test.pattern)
        check(test.id, tostring(test.offset), tostring(refusal and refusal.offset))
    end
end

-- Checks patterns that nginx also refuses, because its engines backtrack.
function runners.backtracking(group)
    for _, test in ipairs(group.tests) do
        local refusal = pattern.check(test.pattern)
        check(test.id, tostring(test.offset), tostring(refusal and refusal.offset))
    end
end

function runners.policies(group)
    run_policies(check, engines[1].find, group)
end

-- The vectors of mode captcha test the responders, so they are skipped here.
function runners.captcha() end

-- Checks the bound on all patterns of a policy.
local function check_pattern_bytes()
    local limits = tables.limits
    local pattern_of_all = ("a"):rep(limits.regex_bytes)
    local policy = { block_patterns = {}, exceptions = { { rules = { "env-file" }, path = pattern_of_all } } }
    for i = 1, limits.policy_pattern_bytes / limits.regex_bytes - 1 do
        policy.block_patterns[i] = pattern_of_all
    end
    check("patterns at the bound", true, policies.resolve(policy, engines[1].find) ~= nil)
    policy.exceptions[2] = { rules = { "env-file" }, path = "^/x" }
    local _, problems = policies.resolve(policy, engines[1].find)
    local problem = problems and problems[1] or {}
    check("patterns beyond the bound", "out_of_range block_patterns[0] expected at most 262144 bytes in all patterns of "
        .. "the policy, with counts written out, found 262147: 2048 in this one, the longest", ("%s %s %s"):format(problem.kind, problem.path, problem.message))
end

check_pattern_bytes()
harness.each_group("*.json", function(group, kind)
    assert(runners[kind], "no runner for " .. kind)(group)
end)
harness.finish()
