-- Modes redirect and silent_drop, whose answers have no body.

local send = require("guard.respond.send")

local _M = {}

-- Sends the scanner elsewhere.
function _M.redirect(options)
    options.headers["Location"] = options.response.redirect_url
    return function() return send.whole(options, nil, "") end
end

local CLOSE = 444 -- nginx's own: HTTP/1 closes with no byte sent, a stream of HTTP/2 is reset

-- Sends nothing at all.
function _M.silent_drop()
    return function() return ngx.exit(CLOSE) end
end

return _M
