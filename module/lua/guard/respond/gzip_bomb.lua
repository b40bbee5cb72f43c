-- Mode gzip_bomb sends compressed data that inflates to gzip_bomb_mb MiB.

local await_turn = require("guard.respond.pace")
local hold = require("guard.respond.hold")
local send = require("guard.respond.send")
local zeros = require("guard.gzip_zeros")

local min = math.min

local BLOCKS_AT_ONCE = 16

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
        while is_taken and left > 0 do
            local blocks = min(left, BLOCKS_AT_ONCE)
            local bytes = blocks * #zeros.BLOCK
            is_taken, left = await_turn(bytes, deadline) and hold.write(pieces:sub(1, bytes)), left - blocks
        end
        return is_taken and left == 0 and hold.write(trailer)
    end)
end
