-- Shares the time of a worker among long inspections. nginx serves other requests between any two turns.

local hold = require("guard.respond.hold")

local abs, max = math.abs, math.max
local now, update_time = ngx.now, ngx.update_time

local TURN_SECONDS = 0.004
-- Estimated time between the starts of two turns. A waiting inspection sleeps this long for each inspection before it.
local PERIOD_SECONDS = 0.004

-- Numbers of the last inspection that started to wait, and of the last with a turn. Turns follow this order.
local last_ticket, last_served = 0, 0
-- Time on the clock of nginx when an inspection last worked. A later time means that nginx has polled since and served
-- other requests.
local worked_at = 0

local function await_turn()
    last_ticket = last_ticket + 1
    local ticket = last_ticket
    repeat
        hold.sleep((ticket - last_served - 1) * PERIOD_SECONDS)
    until now() ~= worked_at -- not `>`: `worked_at` is in the future after the clock was set back
    last_served = max(last_served, ticket)
end

-- Returns a function that waits for the next turn if this turn is over. The second result starts a turn immediately.
return function()
    local started, has_waited

    local function start()
        update_time()
        started, has_waited = now(), false
    end

    start()
    return function()
        update_time()
        worked_at = has_waited and now() or worked_at
        if abs(now() - started) >= TURN_SECONDS then
            await_turn()
            start()
            worked_at, has_waited = started, true
        end
    end, start
end
