-- Bounds the event lines of a process per second, so that a flood cannot fill the disk. Lines beyond it are counted.

local floor = math.floor

-- A budget: `take(now)` returns whether one more line may be written, and if not, whether it is the first in a row
-- that may not. `spent()` returns the number of lines not written since its last call.
return function(per_second)
    local second, used, missed = -1, 0, 0
    local function take(now)
        if floor(now) ~= second then
            second, used = floor(now), 0
        end
        used = used + 1
        if used <= per_second then
            return true
        end
        missed = missed + 1
        return false, missed == 1
    end
    local function spent()
        local count = missed
        missed = 0
        return count
    end
    return { take = take, spent = spent }
end
