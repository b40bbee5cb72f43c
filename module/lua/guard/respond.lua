-- Responds to blocked requests. One table lists the response modes.

local send = require("guard.respond.send")

local pages = require("guard.respond.pages")

local _M = {}

local CLOSE = 444 -- a status of nginx: closes an HTTP/1 connection without sending a byte, resets an HTTP/2 stream

local function redirect(options)
    options.headers["Location"] = options.response.redirect_url
    return function() return send.send_response(options, nil, "") end
end

-- Functions that create the responder of a mode from options, when the policy is loaded.
local modes = {
    json = pages.json,
    html = pages.html,
    text = pages.text,
    xml = pages.xml,
    ratelimit = pages.ratelimit,
    redirect = redirect,
    silent_drop = function() return function() return ngx.exit(CLOSE) end end,
    fake_success = require("guard.respond.decoy"),
    captcha = require("guard.respond.captcha").mode,
    proxy = require("guard.respond.mirror"),
    tarpit = require("guard.respond.tarpit"),
    gzip_bomb = require("guard.respond.gzip_bomb"),
    infinite_stream = require("guard.respond.infinite_stream"),
}

-- Returns the responder of a resolved policy. The responder writes the whole response and ends the request. The
-- responder is a function of a table with reason (code), path (the candidate that matched, or the path), client
-- (address or nil), rule (id; nil for a limit), pattern (of the rule), host, excused (list of rules that passes
-- excused, or nil) and reference (of the event, or nil).
function _M.new(policy)
    local response = policy.response
    local options = {
        response = response,
        secret = policy.secret,
        headers = send.headers_of(response),
    }
    return modes[response.mode](options)
end

return _M
