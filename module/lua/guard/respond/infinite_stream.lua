-- Mode infinite_stream sends stream_size_mb MiB of incompressible bytes.

local await_turn = require("guard.respond.pace")
local hmac = require("guard.hmac")
local hold = require("guard.respond.hold")
local send = require("guard.respond.send")

local MIB = 1024 * 1024
local PIECE_BYTES = 16384
local PIECES = MIB / PIECE_BYTES

-- One MiB of random bytes, which is sent repeatedly. It is longer than the window of gzip, so that the stream does not
-- compress. All workers share these bytes.
local noise

local function make_noise()
    local pieces = {}
    for i = 0, PIECES - 1 do
        pieces[i] = hmac.random(PIECE_BYTES)
    end
    return pieces
end

return function(options)
    local response = options.response
    local pieces = response.stream_size_mb * PIECES
    noise = noise or make_noise()
    return hold.new(response, response.max_response_seconds, function(deadline)
        if not send.send_head(options, response.content_type) then
            return true
        end
        local at, sent, is_taken = math.random(PIECES), 0, true
        while is_taken and sent < pieces and await_turn(PIECE_BYTES, deadline) do
            is_taken, sent = hold.write(noise[(at + sent) % PIECES]), sent + 1
        end
        return is_taken and sent == pieces
    end)
end
