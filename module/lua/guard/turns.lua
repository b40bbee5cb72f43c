-- Shares the time of a worker among long inspections, such as those of hostile bodies. Each does a few milliseconds of
-- work in its turn. nginx serves other requests between any two turns.

local hold = require("guard.respond.hold")

local abs, max = math.abs, math.max
local now, update_time = ngx.now, ngx.update_time

local TURN_SECONDS = 0.004
-- Time between the starts of two turns. A waiting inspection estimates with it when its turn starts.
local PERIOD_SECONDS = 0.004

-- Numbers of the last inspection that started to wait, and of the last one that got a turn. Inspections get turns in
-- this order. If the request of a waiting inspection ends, the next ones do not wait for it.
local last_ticket, last_served = 0, 0
-- Time at which an inspection last worked in its turn. The clock of nginx advances only during a turn and when nginx
-- polls its connections: if it has advanced since, nginx has served other requests.
local worked_at = 0

local function await_turn()
    last_ticket = last_ticket + 1
    local ticket = last_ticket
    repeat
        hold.sleep((ticket - last_served - 1) * PERIOD_SECONDS)
    until now() ~= worked_at -- not `>`: `worked_at` is in the future after the clock was set back
    last_served = max(last_served, ticket)
end

-- Returns two functions for one inspection. The inspection calls the first between steps: if its turn is over, the
-- function waits for the next turn. The second function starts a turn without waiting. The first turn starts now.
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
