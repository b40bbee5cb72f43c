-- Mode captcha challenges visitors who were blocked. With a secret_key, a visitor who solved the challenge may pass the
-- rule that blocked the request. The mode is stateless: it signs states and passes with the policy's secret.

local form = require("guard.respond.form")
local hold = require("guard.respond.hold")
local limits = require("guard.tables").limits
local network_of = require("guard.network")
local pages = require("guard.respond.pages")
local process_secret = require("guard.respond.process_secret")
local current = require("guard.request")
local request_body = require("guard.respond.request_body")
local send = require("guard.respond.send")
local sign = require("guard.respond.captcha.sign")
local spend = require("guard.respond.captcha.budget")
local texts = require("guard.captcha_texts")
local verifier = require("guard.respond.captcha.verify")
local visits = require("guard.respond.captcha.visit")

local concat, find, format, gsub, sub = table.concat, string.find, string.format, string.gsub, string.sub
local response_texts = require("guard.texts")
local escapes, reference_note = response_texts.html_escapes, response_texts.reference_notes.html

local _M = {}

local SEE_OTHER = 303
local METHOD_NOT_ALLOWED = 405
local TOO_MANY_REQUESTS = 429

local function escape(text)
    return (gsub(text, "[&<>\"']", escapes))
end

local function visit_of(client)
    return visits.new(client, current.host())
end

-- Sends a page. Replaces its placeholders in one pass, so that values are not searched for placeholders.
local function page(self, text, blocked, alert, state)
    local captcha = self.options.response.captcha
    local body = gsub(text, "%[%[([%l_]+)%]%]", {
        title = escape(captcha.title),
        script = self.provider.script_url,
        widget = self.provider.widget_class,
        site_key = escape(captcha.site_key),
        action = captcha.action and gsub(texts.action, "%[%[action%]%]", captcha.action) or "",
        alert = alert,
        state = state,
        reference = send.note(self.options, reference_note, blocked),
    })
    return send.send_response(self.options, self.options.response.content_type, body, blocked)
end

-- Sends the challenge. Its state contains the blocked rule and the requested target.
local function challenge_page(self, visit, challenge, blocked, alert)
    return page(self, texts.page, blocked, alert, self.signer:seal(ngx.time(), visit, challenge))
end

local function new(options)
    local captcha = options.response.captcha
    local provider = texts.providers[captcha.provider]
    options.headers["Content-Security-Policy"] = provider.content_security_policy
    options.headers["Referrer-Policy"] = texts.referrer_policy
    return {
        options = options,
        provider = provider,
        signer = sign.new(options.secret or process_secret.get(), captcha),
        verify = verifier(captcha, provider),
        refuse = pages.plain(options.response, ngx.HTTP_FORBIDDEN),
        busy = pages.plain(options.response, TOO_MANY_REQUESTS, { ["Retry-After"] = limits.captcha_span_seconds }),
        not_posted = pages.plain(options.response, METHOD_NOT_ALLOWED, { Allow = "POST" }),
    }
end

-- Returns the responder. With a secret_key, it sends no challenge when a pass cannot help: for a limit, and when passes
-- already excuse limits.captcha_rules rules.
function _M.mode(options)
    local self = new(options)
    if not options.response.captcha.secret_key then
        return function(blocked) return page(self, texts.challenge_only, blocked, "", "") end
    end
    return function(blocked)
        if (blocked.rule or "") == "" or #(blocked.excused or {}) >= limits.captcha_rules then
            return self.refuse(blocked)
        end
        local rule = sign.rule(blocked.rule, blocked.pattern)
        local challenge = { rule = rule, target = visits.return_path(ngx.var.request_uri or "") }
        return challenge_page(self, visit_of(blocked.client), challenge, blocked, "")
    end
end

-- Redirects the visitor to the blocked target with a pass for the rule. The browser then requests the target with GET.
local function redirect_with_pass(self, visit, challenge)
    local headers = { Location = challenge.target }
    if challenge.rule ~= "" then
        local signer = self.signer
        headers["Set-Cookie"] = concat({
            signer:pass_name(challenge.rule) .. "=" .. signer:pass(ngx.time(), visit, challenge.rule),
            "Path=/", format("Max-Age=%d", signer.pass_seconds), "HttpOnly", "SameSite=Lax",
            ngx.var.scheme == "https" and "Secure" or nil,
        }, "; ")
    end
    return send.send_response({ response = { status_code = SEE_OTHER }, headers = headers }, nil, "")
end

local methods = {}
methods.__index = methods

-- Whether a raw target is the path that verifies challenges, for any method.
function methods.serves(_, target)
    local rest = sub(target, #texts.path + 1)
    return sub(target, 1, #texts.path) == texts.path and (rest == "" or find(rest, "^%?") ~= nil)
end

-- Returns the fields of the form by name, or no fields when the body is too long or malformed. Closes the connection
-- when the body does not arrive within captcha_verify_seconds, or cannot be read.
local function read_form()
    local announced = tonumber(ngx.var.http_content_length)
    if announced and announced > limits.captcha_body_bytes then
        return {}
    end
    local length = request_body.read(limits.captcha_verify_seconds)
    if not length then
        return hold.cut()
    elseif length > limits.captcha_body_bytes then
        return {}
    end
    local pieces = {}
    request_body.each(function(piece)
        pieces[#pieces + 1] = piece
        return true
    end)
    return form.decode(concat(pieces))
end

-- Handles the form of a challenge: sends the visitor back with a pass, or sends the challenge again. Responds with 405
-- to another method, and with 429 beyond the bounds on verifications.
function methods:serve(client)
    if ngx.req.get_method() ~= "POST" then
        return self.not_posted({})
    end
    local visit, fields = visit_of(client), read_form()
    local challenge, is_fresh = self.signer:open(fields[texts.state_field] or "", ngx.time(), visit)
    local token = fields[self.provider.token_field] or ""
    if not is_fresh or token == "" or #token > limits.captcha_token_bytes then
        return challenge_page(self, visit, challenge, nil, texts.alert)
    end
    if not spend(network_of(client, limits.client_network_bits)) then
        return self.busy({})
    end
    local response = self.options.response
    local solution = { token = token, client = client, host = visit.host }
    local is_solved = hold.run(response, client, limits.captcha_verify_seconds, self.verify, solution)
    if is_solved == nil then
        return self.busy({})
    elseif not is_solved then
        return challenge_page(self, visit, challenge, nil, texts.alert)
    end
    return redirect_with_pass(self, visit, challenge)
end

-- Whether the visitor has a pass for a rule. The guard then evaluates the request again with the rule in
-- `request.excused`.
function methods:excuses(client, id, pattern)
    local header = ngx.req.get_headers(0).cookie or ""
    local cookies = type(header) == "table" and concat(header, "; ") or header
    return self.signer:excuses(cookies, ngx.time(), visit_of(client), sign.rule(id, pattern))
end

-- Returns nil when the policy has another mode or verifies nothing. `secret_key` is the key itself, not ${NAME}.
function _M.new(policy)
    local response = policy.response
    if response.mode ~= "captcha" or not response.captcha.secret_key then
        return nil
    end
    return setmetatable(new({
        response = response,
        secret = policy.secret,
        headers = send.headers_of(response),
    }), methods)
end

return _M
