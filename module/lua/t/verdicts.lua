-- Writes the verdicts of the Lua engine on requests from standard input, so that engines can be compared:
--   luajit module/lua/t/verdicts.lua [PCRE|PCRE2]
-- conformance/differential/protocol.ts describes the lines.

local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")

local cjson = require("cjson")
local base64 = require("base64")
local header_lines = require("guard.engine.header_lines")
local new_matcher = require("guard.bans.matcher")
local read_bans = require("guard.bans.file")
local engine = require("guard.engine")
local split = require("guard.engine.split")
local tables = require("guard.tables")
local view = require("guard.engine.view")

-- Quotes a text. Candidates and names are printable ASCII.
local function quote(text)
    return '"' .. text:gsub('["\\]', "\\%0") .. '"'
end

local function regex_engine(name)
    for _, one in ipairs(require("pcre")()) do
        if name == nil or one.name == name then
            return one
        end
    end
    error(("no library of %s is installed"):format(name or "PCRE or PCRE2"))
end

local function request_of(question)
    local headers = {}
    for i, header in ipairs(question.h or {}) do
        headers[i] = { header[1], base64(header[2]) }
    end
    return {
        method = question.m or "GET",
        target = base64(question.t),
        rewritten = question.r and base64(question.r),
        headers = headers,
        body = question.b and base64(question.b),
        ip = question.ip,
        host = question.host,
    }
end

local function list_of(texts)
    local quoted = {}
    for i, text in ipairs(texts) do
        quoted[i] = quote(text)
    end
    return "[" .. table.concat(quoted, ",") .. "]"
end

local function pause() end

local BANNED = { blocked = true, reason = "banned" }

-- Returns the verdict on a request: that of the ban list, else that of the engine.
local function verdict_of(guard, request)
    if guard.bans then
        local forwarded = header_lines(request.headers, "x-forwarded-for", pause)
        local function whole_request() return request end
        if guard.is_banned(guard.bans, os.time, request.ip, forwarded[1] and table.concat(forwarded, ", "), whole_request) then
            return BANNED
        end
    end
    return engine.evaluate(guard.compiled, request)
end

local function answer_to(guard, question)
    local request = request_of(question)
    local candidates, limit = {}, nil
    if not question.h then
        candidates, limit = view((split(request.target)), tables.limits.path_bytes, { used = 0, pause = pause }, true)
    end
    local verdict = verdict_of(guard, request)
    local seen = verdict.body
    local fields = {
        verdict.blocked and "blocked" or "allowed", verdict.reason,
        verdict.target or "", verdict.candidate or "", verdict.rule or "",
        seen and ("%s %d %d"):format(seen.overflow, seen.values, seen.bytes) or "",
    }
    return ('{"c":%s,"l":%s,"v":%s}\n'):format(list_of(candidates), quote(limit or ""), list_of(fields))
end

local find = regex_engine(arg[1]).find
local guards = {}
for i, policy in ipairs(cjson.decode(io.read("*l")).policies) do
    local resolved = harness.resolved(policy, find)
    local compiled = engine.compile(resolved, find)
    local has_list = resolved.enabled and resolved.ban_list
    guards[i - 1] = {
        compiled = compiled,
        bans = has_list and assert(read_bans(resolved.ban_list.file, nil, 0, pause)),
        is_banned = new_matcher(compiled),
    }
end
io.stdout:setvbuf("full", 2 ^ 16)
for line in io.lines() do
    local question = cjson.decode(line)
    local guard = assert(guards[question.q], "there is no such policy")
    io.write(answer_to(guard, question))
end
