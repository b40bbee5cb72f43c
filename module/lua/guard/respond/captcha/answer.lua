-- The form that a browser posts as the answer to a challenge.

local body = require("guard.respond.request_body")
local form = require("guard.respond.form")
local hold = require("guard.respond.hold")
local limits = require("guard.tables").limits

-- The body, "" when it is longer than one of ours could be.
local function read_body()
    local length = body.length()
    if not length or length > limits.captcha_body_bytes then
        return ""
    end
    local pieces = {}
    body.each(function(piece)
        pieces[#pieces + 1] = piece
        return true
    end)
    return table.concat(pieces)
end

-- Fields by name; none when it is nothing that we could have asked for. Whoever sends its body byte by byte is let go.
return function()
    local announced = tonumber(ngx.var.http_content_length)
    if announced and announced > limits.captcha_body_bytes then
        return {}
    end
    local reader = ngx.thread.spawn(read_body)
    local timer = ngx.thread.spawn(function() ngx.sleep(limits.captcha_verify_seconds) end)
    local _, text = ngx.thread.wait(reader, timer)
    if type(text) ~= "string" then
        return hold.cut()
    end
    ngx.thread.kill(timer)
    return form.decode(text)
end
