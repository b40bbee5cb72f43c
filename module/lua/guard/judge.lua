-- Returns the verdict on the current request of nginx.

local client_of = require("guard.client")
local escape = require("guard.engine.bytes").escape
local engine = require("guard.engine")
local limits = require("guard.tables").limits

local evaluate = engine.evaluate
local traceback = debug.traceback

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
        verdict = evaluate(guard.compiled, request)
    end
    return verdict
end

local function judge(guard, request)
    local verdict = evaluate(guard.compiled, request)
    if verdict.blocked and guard.captcha then
        verdict = evaluate_excused(guard, request, verdict)
    end
    if guard.policy.debug then
        trace(request, verdict)
    end
    return verdict
end

-- Returns the verdict. Logs an engine failure and returns nil.
return function(guard, request)
    local ok, verdict = xpcall(judge, traceback, guard, request)
    if ok then
        return verdict
    end
    ngx.log(ngx.ERR, "guard: the engine failed: ", verdict)
end
