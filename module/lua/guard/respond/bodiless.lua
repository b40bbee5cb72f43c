-- Modes redirect and silent_drop, whose responses have no body.

local send = require("guard.respond.send")

local _M = {}

function _M.redirect(options)
    options.headers["Location"] = options.response.redirect_url
    return function() return send.whole(options, nil, "") end
end

local CLOSE = 444 -- a status of nginx: closes an HTTP/1 connection without sending a byte, resets an HTTP/2 stream

function _M.silent_drop()
    return function() return ngx.exit(CLOSE) end
end

return _M
