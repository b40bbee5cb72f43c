-- Bounds the event lines of nginx per second, and shares them among clients. The first event of a client in a second
-- gets any remaining line; `for_new_clients` lines are reserved for such events. A further event gets a line while the
-- earlier events of its client in this second are fewer than `events_client_factor` times the remaining shared lines.
-- So a client that floods leaves lines for others.

local limits = require("guard.tables").limits

local floor = math.floor

-- Seconds for which counts stay in the shared dictionary. The clocks of the workers differ by less than this.
local TTL_SECONDS = 3

local LINES, SHARED = "lines", "shared"

-- Counts events and lines of this second by name. `shared` is a dictionary that all workers share. When it is nil or
-- full, each worker counts separately.
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

    -- Adds 1 to an entry without evicting others. Tries incr again because another worker may have added the same key.
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

-- Returns a function of the time and the network of a client. It returns whether one more line may be written.
return function(per_second, for_new_clients, shared)
    local counts = new_counts(shared)
    return function(now, network)
        counts.begin(now)
        if counts.get(LINES) >= per_second then
            return false
        end
        local earlier_events = counts.add("of " .. network) - 1
        if earlier_events > 0 then
            local left = per_second - for_new_clients - counts.get(SHARED)
            if earlier_events >= left * limits.events_client_factor then
                return false
            end
            counts.add(SHARED)
        end
        return counts.add(LINES) <= per_second
    end
end
