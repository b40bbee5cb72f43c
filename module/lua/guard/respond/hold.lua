-- Holds requests open: a bounded number, each for a limited time. A hold also ends when the client disconnects or the
-- worker exits.

local held = require("guard.held")
local limits = require("guard.tables").limits
local network_of = require("guard.network")
local pages = require("guard.respond.pages")
local send = require("guard.respond.send")

local max, min = math.max, math.min

local _M = {}

-- Seconds between checks whether the worker should end. A reload or shutdown may wait this long.
local TICK_SECONDS = 0.5
-- Seconds that work gets to end by itself after its deadline. After that it is cut off.
local GRACE_SECONDS = 1
local CUT = 444
local CLIENT_LEFT = 499

local SHORTEST_SECONDS = 0.001 -- shortest sleep of nginx

-- Lets other requests run for some seconds.
function _M.sleep(seconds)
    ngx.sleep(max(SHORTEST_SECONDS, seconds))
end

function _M.cut()
    return ngx.exit(CUT)
end

-- Waits until the work must be cut off. Adds up its pauses, because the clock of nginx can be set back.
local function watch(slot, seconds)
    local left = seconds + GRACE_SECONDS
    while left > 0 and not ngx.worker.exiting() do
        local pause = min(left, TICK_SECONDS)
        _M.sleep(pause)
        left = left - pause
        held.renew(slot)
    end
    return false
end

-- Runs the work and the watch concurrently until one of them ends. Returns the result of the work, or false.
local function run(slot, seconds, work, ...)
    -- on_abort fails when lua_check_client_abort is off. A disconnect is then noticed only when a write fails.
    ngx.on_abort(function()
        held.release(slot)
        return ngx.exit(CLIENT_LEFT)
    end)
    local worker = ngx.thread.spawn(work, ngx.now() + seconds, ...)
    local watcher = ngx.thread.spawn(watch, slot, seconds)
    local ok, result = ngx.thread.wait(worker, watcher) -- nginx logs why the work failed
    ngx.thread.kill(watcher)
    return ok and result or false
end

-- Returns the arguments of guard.held for a request of a client: pool, network and bounds.
local function share_of(response, client)
    local pool = response.mode == "captcha" and held.VERIFICATIONS or held.RESPONSES
    return pool, network_of(client, limits.client_network_bits), response.max_held, response.max_held_per_address
end

-- Whether all slots for the response are in use.
function _M.is_full(response, client)
    return held.is_full(share_of(response, client))
end

-- Calls work(deadline, ...) and returns its result. Returns false when the work failed, took too long, or returned
-- nothing. Returns nil when no slot is free.
function _M.run(response, client, seconds, work, ...)
    local slot = held.acquire(share_of(response, client))
    if not slot then
        return nil
    end
    local ok, result = pcall(run, slot, seconds, work, ...)
    held.release(slot)
    if not ok then
        error(result, 0)
    end
    return result
end

-- Returns a responder that runs work(deadline, blocked). Work returns true when the response is complete, or a
-- responder to use instead. Otherwise the connection closes, so that a partial response does not look complete. When no
-- slot is free, the responder sends 403.
function _M.new(response, seconds, work)
    local refuse = pages.plain(response, ngx.HTTP_FORBIDDEN)
    return function(blocked)
        local result = _M.run(response, blocked.client, seconds, work, blocked)
        if result == nil then
            return refuse(blocked)
        elseif result == true then
            -- Discards the body only after the slot was released, because nginx ends a request with a malformed body
            -- immediately.
            return ngx.exit(send.discard_body() and ngx.HTTP_OK or ngx.ERROR)
        end
        return (result or _M.cut)(blocked)
    end
end

-- Bytes that `write` has written in this worker since its last pause.
local written_bytes = 0
local TURN_BYTES = 256 * 1024

-- Writes a piece. Returns false when the client disconnected. Lets other requests run after every TURN_BYTES bytes,
-- even when the clients are fast.
function _M.write(piece)
    if not (ngx.print(piece) and ngx.flush(true)) then
        return false
    end
    written_bytes = written_bytes + #piece
    if written_bytes >= TURN_BYTES then
        written_bytes = 0
        _M.sleep(SHORTEST_SECONDS)
    end
    return true
end

return _M
