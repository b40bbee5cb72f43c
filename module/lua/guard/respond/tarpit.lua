-- Mode tarpit sends a byte every tarpit_delay_ms.

local hold = require("guard.respond.hold")
local send = require("guard.respond.send")
local texts = require("guard.texts")

local min = math.min

-- Pauses. Returns whether there was time for the whole pause.
local function pause(seconds, deadline)
    local left = deadline - ngx.now()
    hold.sleep(min(seconds, left))
    return left > seconds
end

return function(options)
    local response = options.response
    local delay = response.tarpit_delay_ms / 1000
    return hold.new(response, response.tarpit_max_duration_seconds, function(deadline)
        if ngx.req.get_method() == "HEAD" then
            pause(delay, deadline)
        end
        local is_taken = send.send_head(options, response.content_type) and ngx.flush(true)
        while is_taken and pause(delay, deadline) do
            is_taken = hold.write(texts.tarpit_byte)
        end
        return true -- the response has no fixed length, so it is complete after any byte
    end)
end
