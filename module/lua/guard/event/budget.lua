-- Bounds the event lines of nginx per second, so that a flood cannot fill the disk. Lines beyond it are counted.

local floor = math.floor

-- Seconds for which the shared count of a second is kept: clocks of workers differ by less.
local TTL_SECONDS = 3

-- The number of lines in a second, this one included. `shared` is a dictionary that all workers share, or nil: then each
-- worker counts its own lines, as it does where the dictionary is full.
local function counter(shared)
    local second, own = -1, 0
    return function(now)
        if floor(now) ~= second then
            second, own = floor(now), 0
        end
        own = own + 1
        return shared and shared:incr("events@" .. second, 1, 0, TTL_SECONDS) or own
    end
end

-- A budget: `take(now)` returns whether one more line may be written, and if not, whether it is the first of this worker
-- in a row that may not. `missed()` returns the number of lines that this worker did not write since `forget()`.
return function(per_second, shared)
    local count, lines = counter(shared), 0
    local function take(now)
        if count(now) <= per_second then
            return true
        end
        lines = lines + 1
        return false, lines == 1
    end
    return { take = take, missed = function() return lines end, forget = function() lines = 0 end }
end
