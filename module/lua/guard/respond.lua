-- Responds to blocked requests. Each response mode has a small file, and one table lists them.

local send = require("guard.respond.send")

local bodiless = require("guard.respond.bodiless")
local pages = require("guard.respond.pages")

local _M = {}

-- A mode makes its responder from options when the policy is loaded.
local modes = {
    json = pages.json,
    html = pages.html,
    text = pages.text,
    xml = pages.xml,
    ratelimit = pages.ratelimit,
    redirect = bodiless.redirect,
    silent_drop = bodiless.silent_drop,
    fake_success = require("guard.respond.decoy"),
    captcha = require("guard.respond.captcha").mode,
    proxy = require("guard.respond.mirror"),
    tarpit = require("guard.respond.tarpit"),
    gzip_bomb = require("guard.respond.gzip_bomb"),
    infinite_stream = require("guard.respond.infinite_stream"),
}

-- Builds the responder of a resolved policy: `response` and, when the policy has one, the bytes of `secret`.
--
-- The responder is a function of {reason =, path =, client =, rule =, excused =}: reason code of the verdict, the
-- candidate that matched else the path, the client's address (nil when it has none), id of the rule (nil: a limit),
-- and the list of rules that passes excused before (nil: none). It writes the whole response and ends the request.
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
