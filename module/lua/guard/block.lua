-- Reports a blocked request when the policy logs events. Also responds to it, unless the guard only detects.

local client_of = require("guard.client")
local place_of = require("guard.regex").place
local was_reported = require("guard.reported")

local reference_field = require("guard.texts").reference.field

local match = string.match
local var = ngx.var

local function path_of(target)
    return match(target, "^[^?]*")
end

-- Maximum bytes of a candidate that an event normally contains as a whole. In a longer candidate the event keeps the
-- part around the match, so the position of the match is needed.
local WHOLE_CANDIDATE = 512

local function place_of_match(verdict)
    local candidate = verdict.candidate
    return candidate and #candidate > WHOLE_CANDIDATE and place_of(candidate, verdict.pattern) or 0
end

-- Returns the event of a verdict. In mode detect, it has the action and the status of mode enforce.
local function event_of(guard, request, verdict, client)
    local policy, seen = guard.policy, verdict.body or {}
    return {
        mode = policy.mode,
        client_ip = client,
        method = request.method,
        host = request.host,
        path = path_of(request.target),
        request_uri = request.target,
        target = verdict.target,
        candidate = verdict.candidate,
        place = place_of_match(verdict),
        rule_id = verdict.rule,
        pattern = verdict.pattern,
        reason = verdict.reason,
        action = policy.response.mode,
        status = verdict.status or policy.response.status_code,
        user_agent = var.http_user_agent,
        overflow = seen.overflow,
        inspected_values = seen.values,
        inspected_bytes = seen.bytes,
    }
end

-- Sets the nginx variable with the reference. Raises an error when the configuration does not declare the variable.
local function set_variable(reference)
    var[reference_field] = reference
end

return function(guard, request, verdict)
    local client, is_detecting = client_of(guard, request), guard.policy.mode == "detect"
    local reference
    if guard.report and not (is_detecting and was_reported(guard.name)) then
        reference = guard.report(event_of(guard, request, verdict, client))
        pcall(set_variable, reference)
    end
    if is_detecting then
        return
    end
    return guard.respond({
        reason = verdict.reason,
        path = verdict.candidate or path_of(request.target),
        client = client,
        rule = verdict.rule,
        pattern = verdict.pattern,
        host = request.host,
        excused = request.excused,
        reference = reference,
    })
end
