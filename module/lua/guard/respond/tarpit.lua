-- Mode tarpit: a byte every tarpit_delay_ms.

local hold = require("guard.respond.hold")
local send = require("guard.respond.send")

local min = math.min

local BYTE = "\n"

return function(options)
    local response = options.response
    local delay = response.tarpit_delay_ms / 1000
    return hold.new(response, response.tarpit_max_duration_seconds, function(_, deadline)
        send.head(options, response.content_type)
        local is_head = ngx.req.get_method() == "HEAD"
        repeat
            ngx.sleep(min(delay, deadline - ngx.now()))
            if is_head then
                return ngx.send_headers() ~= nil
            end
            if not hold.write(BYTE) then
                return false
            end
        until ngx.now() >= deadline
        return true
    end)
end
