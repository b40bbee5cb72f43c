-- Mode gzip_bomb: compressed data that inflates to gzip_bomb_mb MiB.

local hold = require("guard.respond.hold")
local send = require("guard.respond.send")
local zeros = require("guard.gzip_zeros")

local min = math.min

local BLOCKS_AT_ONCE = 32

return function(options)
    local response = options.response
    local mib = response.gzip_bomb_mb
    local length, trailer = zeros.length(mib), zeros.trailer(mib)
    local pieces = zeros.BLOCK:rep(BLOCKS_AT_ONCE)
    options.headers["Content-Encoding"] = "gzip"
    return hold.new(response, response.max_response_seconds, function(deadline)
        if not send.open(options, response.content_type, length) then
            return true
        end
        local is_taken, left = hold.write(zeros.HEADER), mib
        while is_taken and left > 0 and ngx.now() < deadline do
            local now = min(left, BLOCKS_AT_ONCE)
            is_taken, left = hold.write(pieces:sub(1, now * #zeros.BLOCK)), left - now
        end
        return is_taken and left == 0 and hold.write(trailer)
    end)
end
