-- Runs the conformance vectors (contract/vectors) through the Lua engine, under LuaJIT and without nginx:
--   luajit module/lua/t/vectors.lua
-- Needs lua-cjson, and PCRE or PCRE2.

local root = arg[0]:match("^(.*)module/lua/t/[^/]*$") or error("run as <root>/module/lua/t/vectors.lua")
package.path = root .. "module/lua/?.lua;" .. root .. "module/lua/?/init.lua;" .. root .. "module/lua/t/?.lua;" .. package.path

local cjson = require("cjson")
local engine = require("guard.engine")
local pattern = require("guard.pattern")
local tables = require("guard.tables")
local view = require("guard.engine.view")
local engines = require("pcre")()
local base64 = require("base64")
local run_policies = require("policies")
local resolved = require("universal")

assert(#engines > 0, "neither libpcre.so.3 nor libpcre2-8.so.0 is installed")

local passed, failed = 0, 0

local function check(id, wanted, got)
    if wanted == got then
        passed = passed + 1
        return
    end
    failed = failed + 1
    io.stderr:write(("not ok %s\n  expected %s\n  got      %s\n"):format(id, wanted, got))
end

-- Text is Latin-1 in the data files, which are UTF-8.
local function latin1(text)
    return (text:gsub("([\194\195])([\128-\191])", function(lead, tail)
        return string.char((lead:byte() - 0xC0) * 64 + tail:byte() - 0x80)
    end))
end

local function bytes_of(object, key)
    local encoded = object[key .. "Base64"]
    if encoded then
        return base64(encoded)
    end
    return object[key] and latin1(object[key])
end

local function headers_of(request)
    local headers = {}
    for i, header in ipairs(request.headers or {}) do
        headers[i] = { header[1], latin1(header[2]) }
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
    check(test.id, table.concat(wanted, " "), table.concat(fields, " "))
end

local runners = {}

function runners.candidates(group)
    for _, test in ipairs(group.tests) do
        local candidates, limit = view(bytes_of(test, "input"), tables.limits.path_bytes, { used = 0 })
        local wanted = table.concat(test.candidates, "\n") .. "\n" .. tostring(test.limit)
        check(test.id, wanted, table.concat(candidates, "\n") .. "\n" .. tostring(limit))
    end
end

function runners.verdicts(group)
    for _, regex_engine in ipairs(engines) do
        local compiled = engine.compile(resolved(group.policy), regex_engine.find)
        for _, test in ipairs(group.tests) do
            run_verdict(compiled, test)
        end
    end
end

-- Each pattern that the grammar accepts must compile with every regex engine of nginx.
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

-- What nginx refuses in addition, because its engines backtrack.
function runners.backtracking(group)
    for _, test in ipairs(group.tests) do
        local refusal = pattern.check(test.pattern)
        check(test.id, tostring(test.offset), tostring(refusal and refusal.offset))
    end
end

function runners.policies(group)
    run_policies(check, engines[1].find, group)
end

-- The vectors of mode captcha are for the responders.
function runners.captcha() end

local function read(file)
    local handle = assert(io.open(file, "rb"))
    local text = handle:read("*a")
    handle:close()
    return cjson.decode(text)
end

local listing = assert(io.popen("ls '" .. root .. "contract/vectors/'*.json"))
for file in listing:lines() do
    local kind = file:match("([a-z]+)%-[^/]*%.json$")
    local run = assert(runners[kind], "no runner for " .. file)
    for _, group in ipairs(read(file)) do
        run(group)
    end
end
listing:close()

print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
