-- Counts the requests that response modes hold, in total and for each network of clients. Verifications of captchas have
-- a pool apart: a scanner in traps must not keep visitors from being verified.
--
-- With the shared dictionary `guard` all workers count together; without it each worker counts separately. A count is
-- a lease: a held request counts in the epoch of its last renewal, and an epoch that is two old no longer counts. The
-- requests of a worker that died are therefore forgotten after at most two epochs.

local process_secret = require("guard.respond.process_secret")

local ipairs, max = ipairs, math.max

local _M = {}

local EPOCH_SECONDS = 30
local TTL_SECONDS = 3 * EPOCH_SECONDS -- an entry is made at most one epoch before it is current, and read for two
local POOLS = { "held", "verified" }

_M.TRAPS, _M.VERIFICATIONS = POOLS[1], POOLS[2]

local shared = ngx.shared.guard
local own = {} -- without a shared dictionary: counts by epoch and name

local function epoch_now()
    return math.floor(ngx.now() / EPOCH_SECONDS)
end

local function add_own(name, epoch, by)
    for old in pairs(own) do
        if old < epoch_now() - 1 then
            own[old] = nil
        end
    end
    local counts = own[epoch] or {}
    own[epoch] = counts
    local count = (counts[name] or 0) + by
    counts[name] = count > 0 and count or nil
    return true
end

-- Nil when there is no entry to subtract from. A full dictionary evicts the entry that was not used for longest.
local function add(name, epoch, by)
    if not shared then
        return add_own(name, epoch, by)
    end
    local key = name .. "@" .. epoch
    if by < 0 then
        return shared:incr(key, by)
    end
    return shared:incr(key, by, 0, TTL_SECONDS)
end

local function count_in(name, epoch)
    if not shared then
        return own[epoch] and own[epoch][name] or 0
    end
    return max(0, shared:get(name .. "@" .. epoch) or 0)
end

local function count(name)
    local epoch = epoch_now()
    return count_in(name, epoch) + count_in(name, epoch - 1)
end

-- Whether `acquire` would return nil.
function _M.is_full(pool, network, max_held, max_of_network)
    return count(pool) >= max_held or count(pool .. ":" .. network) >= max_of_network
end

-- A slot of a pool for one more request of a network, or nil when all `max_held` slots, or the `max_of_network` of its
-- network, are taken. The caller renews it at least every few seconds, and releases it.
function _M.acquire(pool, network, max_held, max_of_network)
    process_secret.keep() -- only here does the dictionary get entries in large numbers
    local slot = { epoch = epoch_now(), names = {} }
    for _, bound in ipairs({ { pool, max_held }, { pool .. ":" .. network, max_of_network } }) do
        local name, most = bound[1], bound[2]
        if not add(name, slot.epoch, 1) then
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

-- Renews the lease of a slot, and keeps its counts from being evicted.
function _M.renew(slot)
    local epoch = epoch_now()
    for _, name in ipairs(slot.names) do
        if slot.epoch == epoch then
            count_in(name, epoch)
        else
            add(name, epoch, 1)
            add(name, slot.epoch, -1)
        end
    end
    slot.epoch = epoch
end

-- Releases a slot. A second call does nothing.
function _M.release(slot)
    for _, name in ipairs(slot.names) do
        add(name, slot.epoch, -1)
    end
    slot.names = {}
end

-- How many requests are held now.
function _M.total()
    local total = 0
    for _, pool in ipairs(POOLS) do
        total = total + count(pool)
    end
    return total
end

return _M
