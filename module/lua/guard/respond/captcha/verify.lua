-- Asks a provider whether a token solves a challenge.

local form = require("guard.respond.form")
local http = require("guard.http_client")
local json = require("guard.json")
local limits = require("guard.tables").limits
local conditions = require("guard.respond.captcha.conditions")
local web_url = require("guard.web_url")

local concat, find = table.concat, string.find

-- Returns the provider's response when it reports success. Otherwise returns false, and a reason when the response has
-- no verdict.
local function parse_answer(status, text)
    local answer = json(text)
    if status ~= 200 then
        return false, "the provider responded with status " .. status
    elseif type(answer) ~= "table" then
        return false, "the response of the provider is not what its documentation says"
    end
    local codes = answer["error-codes"]
    for _, code in ipairs(type(codes) == "table" and codes or {}) do
        if type(code) == "string" and find(code, "%-input%-secret$") then
            return false, "the provider refuses secret_key"
        end
    end
    return answer.success == true and answer
end

-- Reads the response, and returns the results of parse_answer. Returns false and a reason when the response is
-- incomplete or too long.
local function read_answer(connection)
    local head, err = connection:read_head()
    if not head then
        return false, err
    end
    local pieces, length = {}, 0
    local ok
    ok, err = connection:read_body(function(piece)
        length = length + #piece
        pieces[#pieces + 1] = piece
        return length <= limits.captcha_answer_bytes
    end)
    if not ok then
        return false, err == "stopped" and "the response of the provider is too long" or err
    end
    return parse_answer(head.status, concat(pieces))
end

local function ask_provider(deadline, url, fields)
    local connection, err = http.connect(url, deadline)
    if not connection then
        return false, err
    end
    local body = form.encode(fields)
    local target = (url.path == "" and "/" or url.path) .. (url.query and "?" .. url.query or "")
    local ok
    ok, err = connection:send_head("POST", target, {
        { "Host", url.authority },
        { "Content-Type", "application/x-www-form-urlencoded" },
        { "Content-Length", #body },
        { "Accept-Encoding", "identity" },
    })
    if ok then
        ok, err = connection:send(body)
    end
    local answer = false
    if ok then
        answer, err = read_answer(connection)
    end
    if err then
        connection:close()
    else
        connection:keep(limits.captcha_idle_seconds, limits.captcha_idle_connections)
    end
    return answer, err
end

local OTHER_HOST_WARNING = "guard: a captcha was solved on another host than that of the request, so the visitor does "
    .. "not pass: where the guard gets another Host header than the browser sends, set hostnames"

-- Returns a function of (deadline, {token =, client =, host =}). It returns whether the challenge was solved. Each
-- worker reports a failing provider once, and again when it fails after a success.
return function(captcha, provider)
    local url = web_url(captcha.verify_url or provider.verify_url)
    local is_down, has_reported_other_host = false, false
    return function(deadline, solution)
        local client = solution.client
        local fields = { { "secret", captcha.secret_key }, { "response", solution.token } }
        fields[3] = client and client ~= "" and { "remoteip", client } or nil
        local answer, err = ask_provider(deadline, url, fields)
        if err and not is_down then
            ngx.log(ngx.ERR, "guard: captcha solutions cannot be verified, so no visitor passes: ", err)
        end
        is_down = err ~= nil
        if not answer then
            return false
        elseif conditions.is_host(captcha, provider, answer, solution.host) then
            return conditions.is_action(captcha, answer)
        elseif not has_reported_other_host then
            ngx.log(ngx.ERR, OTHER_HOST_WARNING)
        end
        has_reported_other_host = true
        return false
    end
end
