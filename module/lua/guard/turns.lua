-- Divides the time of a worker between inspections that take long, such as those of hostile bodies. Each does a few
-- milliseconds of work in its turn; in between, the worker serves all other requests.

local hold = require("guard.respond.hold")

local max = math.max
local now, update_time = ngx.now, ngx.update_time

local TURN_SECONDS = 0.002
-- From the start of a turn to the start of the next one, of whichever inspection.
local PERIOD_SECONDS = 0.003

local next_turn = 0

-- A function for one inspection, which calls it between steps: it waits for the next turn when the current one is over.
-- The first turn begins now.
return function()
    update_time()
    local started = now()
    return function()
        update_time()
        if now() - started < TURN_SECONDS then
            return
        end
        next_turn = max(now(), next_turn + PERIOD_SECONDS)
        hold.sleep(next_turn - now())
        started = now()
    end
end
