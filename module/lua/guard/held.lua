-- Counts the requests that response modes hold open, in total and for each network of clients. Verifications of
-- captchas have a separate pool, so that a scanner that fills the tarpits cannot prevent them. Each held request has a
-- lease: it counts in the epoch (30 seconds) in which the lease was last renewed. The counts of two epochs are added,
-- so requests of a dead worker are forgotten within two epochs.

local process_secret = require("guard.respond.process_secret")

local ipairs, max = ipairs, math.max

local _M = {}

local EPOCH_SECONDS = 30
local TTL_SECONDS = 3 * EPOCH_SECONDS -- an entry is read until the end of the next epoch; the third epoch is a reserve
local POOLS = { "held", "verified" }

_M.RESPONSES, _M.VERIFICATIONS = POOLS[1], POOLS[2]

local shared = ngx.shared.guard
local own_counts = {} -- counts by epoch and name, without a shared dictionary

local function epoch_now()
    return math.floor(ngx.now() / EPOCH_SECONDS)
end

local function add_to_own_count(name, epoch, by)
    for old in pairs(own_counts) do
        if old < epoch_now() - 1 then
            own_counts[old] = nil
        end
    end
    local counts = own_counts[epoch] or {}
    own_counts[epoch] = counts
    local count = (counts[name] or 0) + by
    counts[name] = count > 0 and count or nil
    return true
end

-- Adds `by`, which can be negative. Returns nil when the shared dictionary has no entry to subtract from, or no memory
-- for a new entry.
local function add_to_count(name, epoch, by)
    if not shared then
        return add_to_own_count(name, epoch, by)
    end
    local key = name .. "@" .. epoch
    if by < 0 then
        return shared:incr(key, by)
    end
    return shared:incr(key, by, 0, TTL_SECONDS)
end

local function count_in(name, epoch)
    if not shared then
        return own_counts[epoch] and own_counts[epoch][name] or 0
    end
    return max(0, shared:get(name .. "@" .. epoch) or 0)
end

local function count(name)
    local epoch = epoch_now()
    return count_in(name, epoch) + count_in(name, epoch - 1)
end

-- Whether all slots of a pool, or of a network in it, are in use.
function _M.is_full(pool, network, max_held, max_of_network)
    return count(pool) >= max_held or count(pool .. ":" .. network) >= max_of_network
end

-- Acquires a slot of a pool for one more request of a network. Returns nil when all are in use, or when the shared
-- dictionary has no memory. The caller renews the slot at least every few seconds, and releases it.
function _M.acquire(pool, network, max_held, max_of_network)
    process_secret.keep() -- the entries that this function adds could evict the secret from the dictionary
    local slot = { epoch = epoch_now(), names = {} }
    for _, bound in ipairs({ { pool, max_held }, { pool .. ":" .. network, max_of_network } }) do
        local name, most = bound[1], bound[2]
        if not add_to_count(name, slot.epoch, 1) then
            _M.release(slot)
            return nil
        end
        slot.names[#slot.names + 1] = name
        if count(name) > most then
            _M.release(slot)
            return nil
        end
    end
    return slot
end

-- Renews the lease of a slot, and protects its counts from eviction.
function _M.renew(slot)
    local epoch = epoch_now()
    for _, name in ipairs(slot.names) do
        if slot.epoch == epoch then
            count_in(name, epoch)
        else
            add_to_count(name, epoch, 1)
            add_to_count(name, slot.epoch, -1)
        end
    end
    slot.epoch = epoch
end

-- Releases a slot. A second call does nothing.
function _M.release(slot)
    for _, name in ipairs(slot.names) do
        add_to_count(name, slot.epoch, -1)
    end
    slot.names = {}
end

-- Returns the number of requests that are held now.
function _M.total()
    local total = 0
    for _, pool in ipairs(POOLS) do
        total = total + count(pool)
    end
    return total
end

return _M
