-- The guard in nginx:
--
--   init_by_lua_block { require("guard").init { block_patterns = { "^/internal/" } } }
--   rewrite_by_lua_block { require("guard").check() }

local bans = require("guard.bans")
local block = require("guard.block")
local cache = require("guard.cache")
local client_of = require("guard.client")
local engine = require("guard.engine")
local escape = require("guard.engine.bytes").escape
local events = require("guard.event")
local metrics = require("guard.metrics")
local new_body_prefilter = require("guard.plain_body")
local new_header_prefilter = require("guard.sent_headers")
local policies = require("guard.policy")
local regex = require("guard.regex")
local requests = require("guard.request")
local respond = require("guard.respond")
local limits = require("guard.tables").limits
local send = require("guard.respond.send")
local new_upgrades = require("guard.upgrades")

local traceback, upper = debug.traceback, string.upper

local _M = { _VERSION = "0.1.0" }

local DEFAULT = ""
local guards = {}

local function described(name)
    return name == DEFAULT and "without a name" or 'named "' .. name .. '"'
end

-- Whether a guard blocks requests: it is enabled and does not only detect.
local function blocks(policy)
    return policy.enabled and policy.mode ~= "detect"
end

-- Returns the captcha of a policy, or nil when the guard blocks nothing, has another response mode, or has no
-- secret_key.
local function captcha_of(policy)
    if policy.response.mode == "captcha" and blocks(policy) then
        return require("guard.respond.captcha").new(policy)
    end
end

local function never() return false end

-- Returns a prefilter that passes no request on which the other one fails.
local function protected(prefilter)
    return function(...)
        local ok, passes, has_body, has_upgrade, has_body_rule = pcall(prefilter, ...)
        if ok then
            return passes, has_body, has_upgrade, has_body_rule
        end
        return false, true, true, false
    end
end

-- Number and bytes of the targets that are kept for a guard: at most 150 KB. With it, 7 of 10 requests in the log of a web
-- site are for a target that is kept.
local ALL_TARGETS, LONGEST_TARGET = 512, 256

-- Returns a prefilter that reads the target of a GET request once.
local function cached(prefilter)
    local clean = cache.new(ALL_TARGETS, LONGEST_TARGET)
    return function(method, target)
        if method ~= "GET" then
            return prefilter(method, target)
        elseif cache.recall(clean, target) then
            return true
        end
        local passes = prefilter(method, target)
        if passes then
            cache.keep(clean, target, true)
        end
        return passes
    end
end

-- Returns the prefilters of the target and of the headers (sent_headers.lua). No target passes with `debug`, which logs all
-- verdicts, or when the guard serves a captcha. When a prefilter fails, nginx responds with 500: LuaJIT compiles nothing that
-- returns to a protected call. A guard that blocks nothing pays for one.
local function prefilters_of(policy, compiled, captcha)
    local target = (policy.debug or captcha) and never or cached(compiled.passes_prefilter)
    local headers = new_header_prefilter(policy, compiled)
    if not blocks(policy) then
        return protected(target), protected(headers)
    end
    return target, headers
end

local TOO_EARLY = 425

-- Whether the request came in early data of HTTP/3 (RFC 9001 4.6), where an attacker can forge the address.
local function is_early(version)
    return version >= 3 and ngx.var.ssl_early_data == "1"
end

-- Sets the policy of `check(name)`. Throws an error that names the wrong keys; nginx then does not start.
function _M.init(policy, name)
    name = name or DEFAULT
    if type(name) ~= "string" then
        error("guard: the name of a policy is text", 2)
    elseif guards[name] then
        error("guard: there are two policies " .. described(name), 2)
    end
    local loaded = policies.load(policy, regex.find)
    local compiled, captcha = engine.compile(loaded, regex.find), captcha_of(loaded)
    local passes_target, pass_headers = prefilters_of(loaded, compiled, captcha)
    local guard = {
        name = name,
        policy = loaded,
        blocks = blocks(loaded),
        compiled = compiled,
        passes_target = passes_target,
        pass_headers = pass_headers,
        passes_body = new_body_prefilter(loaded, compiled),
        respond = respond.new(loaded),
        is_banned = bans.new(loaded, compiled),
        captcha = captcha,
        count = metrics.counter(loaded),
        remove_upgrades = new_upgrades(loaded, compiled, metrics.upgrade_counter(loaded)),
        -- The verdicts on requests that the prefilter allows: of inspected methods, and of others.
        inspected_verdict = { blocked = false, reason = loaded.enabled and "no_match" or "disabled" },
        uninspected_verdict = { blocked = false, reason = loaded.enabled and "method_not_inspected" or "disabled" },
        report = loaded.security_log and events.log(loaded.security_log_file) or nil,
    }
    if guard.is_banned then
        local for_banned = bans.response_policy(loaded)
        guard.for_banned = setmetatable(
            { policy = for_banned, respond = respond.new(for_banned), count = metrics.counter(for_banned) },
            { __index = guard })
    end
    guards[name] = guard
end

-- Logs the result of an evaluation, at a level that nginx shows by default.
local function trace(request, verdict)
    ngx.log(ngx.ERR, "guard: evaluated ", escape(request.method), " ", escape(request.target),
        ": blocked=", tostring(verdict.blocked), " reason=", verdict.reason, " rule=", verdict.rule or "",
        " candidate=", verdict.candidate or "")
end

-- Evaluates again without the rules for which the visitor has a pass. `excused` has ids in a list and as keys.
local function evaluate_excused(guard, request, verdict)
    local excused, client = {}, client_of(guard, request)
    while verdict.blocked and verdict.rule and #excused < limits.captcha_rules
        and guard.captcha:excuses(client, verdict.rule, verdict.pattern) do
        excused[#excused + 1] = verdict.rule
        excused[verdict.rule] = true
        request.excused = excused
        verdict = engine.evaluate(guard.compiled, request)
    end
    return verdict
end

local function evaluate(guard, request)
    if request.head_verdict and guard.passes_body(request) then
        return request.head_verdict
    end
    local verdict = engine.evaluate(guard.compiled, request)
    if verdict.blocked and guard.captcha then
        verdict = evaluate_excused(guard, request, verdict)
    end
    if guard.policy.debug then
        trace(request, verdict)
    end
    return verdict
end

-- Returns the verdict. Logs an engine failure and returns nil.
local function evaluate_or_log(guard, request)
    local ok, verdict = xpcall(evaluate, traceback, guard, request)
    if ok then
        return verdict
    end
    ngx.log(ngx.ERR, "guard: the engine failed: ", verdict)
end

-- Serves the path that verifies captchas. Evaluates any other request. Responds when it is blocked or when the engine
-- failed, except in mode detect.
local function respond_to(guard, request)
    if guard.captcha and guard.captcha:serves(request.target) then
        return guard.captcha:serve(client_of(guard, request))
    end
    local verdict = evaluate_or_log(guard, request)
    if not verdict and guard.policy.mode ~= "detect" then
        return send.refuse(ngx.HTTP_INTERNAL_SERVER_ERROR) -- fails closed: the engine failed
    end
    verdict = verdict or request.unread
    if verdict then
        guard.count(verdict)
    end
    if verdict and verdict.blocked then
        return block(guard, request, verdict)
    end
end

local BANNED = { blocked = true, reason = "banned" }

-- Reports and refuses a banned client.
local function refuse_banned(guard)
    local request = requests.new(requests.line())
    if guard.policy.debug then
        trace(request, BANNED)
    end
    guard.for_banned.count(BANNED)
    return block(guard.for_banned, request, BANNED)
end

-- Returns the verdict on a request without its body, or false when only an evaluation decides. Also returns whether the request
-- announces a body, and whether it is inspected: in all values, and for rules of a header that need a literal in it.
local function inspect_head(guard, method, target)
    local are_headers_clean, has_body, has_upgrade, has_body_rule = guard.pass_headers()
    if has_upgrade then
        guard.remove_upgrades()
    end
    local compiled = guard.compiled
    local is_inspected = compiled.methods[method] or compiled.methods["*"]
    local verdict = are_headers_clean and guard.passes_target(method, target)
        and (is_inspected and guard.inspected_verdict or guard.uninspected_verdict)
    return verdict, has_body, is_inspected and guard.policy.check_body,
        has_body_rule and compiled.body_filter.methods[upper(method)]
end

-- Guards a request, in rewrite_by_lua_block: nginx runs that phase even where it skips access hooks (`satisfy any`).
function _M.check(name)
    name = name or DEFAULT
    local guard = guards[name]
    if not guard then
        error("guard: init() was not called with a policy " .. described(name), 2)
    end
    local version = requests.version()
    if is_early(version) then
        -- The client repeats the request after the handshake (RFC 8470 5.2). A guard that blocks nothing passes the
        -- request on.
        return guard.blocks and send.refuse(TOO_EARLY) or nil
    end
    if guard.is_banned and not ngx.is_subrequest and guard.is_banned() then
        return refuse_banned(guard)
    end
    local method, target = requests.line()
    local head_verdict, has_body, inspects_body, has_body_rule = inspect_head(guard, method, target)
    if ngx.is_subrequest then
        return -- the main request was already evaluated
    elseif head_verdict and not ((has_body or version >= 2) and (inspects_body or has_body_rule)) then
        guard.count(head_verdict)
        return
    end
    local request = requests.new(method, target, guard.policy.max_body_bytes)
    request.head_verdict, request.inspects_body, request.has_body_rule = head_verdict, inspects_body, has_body_rule
    local has_result, result = xpcall(respond_to, traceback, guard, request)
    if has_result then
        return result
    end
    ngx.log(ngx.ERR, "guard: the response failed: ", result)
    if guard.policy.mode ~= "detect" then
        return send.refuse(ngx.HTTP_INTERNAL_SERVER_ERROR) -- fails closed: the response failed
    end
end

return _M
