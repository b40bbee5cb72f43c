-- Shares the time of a worker among long inspections, such as those of hostile bodies. Each does a few milliseconds of
-- work in its turn. nginx serves other requests between any two turns.

local hold = require("guard.respond.hold")

local abs, max = math.abs, math.max
local now, update_time = ngx.now, ngx.update_time

local TURN_SECONDS = 0.004
-- Time between the starts of two turns. Waiting inspections estimate the end of a turn with it.
local PERIOD_SECONDS = 0.004

-- Inspections get turns in the order in which they started to wait. An inspection that ends while it waits delays no
-- other.
local last_ticket, last_served = 0, 0
-- Time at which an inspection last worked in its turn. The clock of nginx advances when nginx polls its connections,
-- and in a turn.
local worked_at = 0

local function await_turn()
    last_ticket = last_ticket + 1
    local ticket = last_ticket
    repeat
        hold.sleep((ticket - last_served - 1) * PERIOD_SECONDS)
    until now() ~= worked_at -- it is in the future after the clock was set back
    last_served = max(last_served, ticket)
end

-- Returns two functions for one inspection. It calls the first between steps; when the current turn is over, that
-- function waits for the next one. The second starts a turn without waiting. The first turn also starts now, without
-- waiting.
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
