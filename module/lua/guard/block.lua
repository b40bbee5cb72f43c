-- What happens to a request that was blocked: it is reported and, unless the guard only detects, answered.

local address = require("guard.engine.address")
local client_address = require("guard.engine.client_address")

local match = string.match
local var = ngx.var

-- The client's address as text; nil where it has none.
local function client_of(guard, request)
    local client = client_address.find(request, guard.compiled.trusted_proxies)
    return client and address.text(client)
end

local function path_of(target)
    return match(target, "^[^?]*")
end

-- In mode detect, action and status are those that an enforcing guard would give.
local function event_of(guard, request, verdict, client)
    local policy = guard.policy
    return {
        mode = policy.mode,
        client_ip = client,
        method = request.method,
        host = var.http_host,
        path = path_of(request.target),
        request_uri = request.target,
        target = verdict.target,
        candidate = verdict.candidate,
        rule_id = verdict.rule,
        pattern = verdict.pattern,
        reason = verdict.reason,
        action = policy.response.mode,
        status = policy.response.status_code,
        user_agent = var.http_user_agent,
    }
end

return function(guard, request, verdict)
    local client = client_of(guard, request)
    if guard.events then
        guard.events(event_of(guard, request, verdict, client))
    end
    if guard.policy.mode == "detect" then
        return
    end
    return guard.answer({
        reason = verdict.reason,
        path = verdict.candidate or path_of(request.target),
        client = client,
        rule = verdict.rule,
        host = request.host,
    })
end
