-- Bounds the event lines of nginx per second, so that a flood cannot fill the disk, and shares them among clients.
--
-- The first event of a client in a second gets any line that is left; `for_new_clients` lines are reserved for these
-- events. The other lines are shared. A client gets a further line while it has fewer than `events_client_factor` times
-- the shared lines that are left. So a client that floods leaves lines for others, however early in the second it began.

local limits = require("guard.tables").limits

local floor = math.floor

-- Seconds for which the shared counts of a second are kept: clocks of workers differ by less.
local TTL_SECONDS = 3

local LINES, SHARED = "lines", "shared"

-- Counts of this second by name: `add(name)` returns the next count, `get(name)` the current one. `shared` is a
-- dictionary that all workers share, or nil: then each worker counts separately, as it does where the dictionary is full.
-- Names of clients are added only while there are lines left, so their number in a second is bounded.
local function new_counts(shared)
    local second, own = -1, {}
    local counts = {}

    function counts.begin(now)
        if floor(now) ~= second then
            second, own = floor(now), {}
        end
    end

    local function key_of(name)
        return "events@" .. second .. ":" .. name
    end

    -- Does not evict what others keep in the dictionary. Another worker may add the name at the same time.
    local function add_shared(key)
        return shared:incr(key, 1) or shared:safe_add(key, 1, TTL_SECONDS) and 1 or shared:incr(key, 1)
    end

    function counts.add(name)
        own[name] = (own[name] or 0) + 1
        return shared and add_shared(key_of(name)) or own[name]
    end

    function counts.get(name)
        return shared and shared:get(key_of(name)) or own[name] or 0
    end

    return counts
end

-- A budget: a function of the time and the network of a client that returns whether one more line may be written.
return function(per_second, for_new_clients, shared)
    local counts = new_counts(shared)
    return function(now, network)
        counts.begin(now)
        if counts.get(LINES) >= per_second then
            return false
        end
        local has = counts.add("of " .. network) - 1
        if has > 0 then
            local left = per_second - for_new_clients - counts.get(SHARED)
            if has >= left * limits.events_client_factor then
                return false
            end
            counts.add(SHARED)
        end
        return counts.add(LINES) <= per_second
    end
end
