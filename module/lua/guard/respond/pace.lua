-- Spreads the bytes of all responses of this worker over time. Each worker has an equal share of the guard's rate.

local hold = require("guard.respond.hold")
local bytes_per_second = require("guard.tables").limits.stream_bytes_per_second

local max = math.max
local now = ngx.now

-- Time at which this worker may send the next piece, and time of the last request for a turn.
local next_turn, asked_at = 0, 0

-- Waits until this worker may send `bytes` bytes. Returns false immediately when that is not before the deadline.
return function(bytes, deadline)
    if now() < asked_at then
        next_turn = 0 -- the clock was set back
    end
    asked_at = now()
    local turn = max(now(), next_turn)
    if turn >= deadline then
        return false
    end
    next_turn = turn + bytes * ngx.worker.count() / bytes_per_second
    if turn > now() then
        hold.sleep(turn - now())
    end
    return true
end
