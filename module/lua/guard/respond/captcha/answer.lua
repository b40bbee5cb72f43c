-- The form that a browser posts to solve a challenge.

local body = require("guard.respond.request_body")
local form = require("guard.respond.form")
local hold = require("guard.respond.hold")
local limits = require("guard.tables").limits

-- Returns the fields by name; none when the form is not from the page. Reading ends at a deadline.
return function()
    local announced = tonumber(ngx.var.http_content_length)
    if announced and announced > limits.captcha_body_bytes then
        return {}
    end
    local length = body.read(limits.captcha_verify_seconds)
    if not length then
        return hold.cut()
    elseif length > limits.captcha_body_bytes then
        return {}
    end
    local pieces = {}
    body.each(function(piece)
        pieces[#pieces + 1] = piece
        return true
    end)
    return form.decode(table.concat(pieces))
end
