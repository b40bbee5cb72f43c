-- Holds a request open: below a ceiling, until a time, and no longer than the client and the worker want.

local held = require("guard.held")
local network_of = require("guard.network")
local pages = require("guard.respond.pages")

local max, min = math.max, math.min

local _M = {}

-- How often a held request looks whether the worker should end, seconds: what a reload or shutdown may wait.
local TICK_SECONDS = 0.5
-- How long work that should end by itself at its deadline may take to do so, seconds; then it is cut off.
local GRACE_SECONDS = 1
local CUT = 444
local CLIENT_LEFT = 499

local SHORTEST_SECONDS = 0.001 -- that nginx can sleep

-- Lets others have their turn for some seconds.
function _M.sleep(seconds)
    ngx.sleep(max(SHORTEST_SECONDS, seconds))
end

-- Ends the request in the middle of what is sent.
function _M.cut()
    return ngx.exit(CUT)
end

-- Returns when the work must be cut off.
local function watch(slot, deadline)
    while not ngx.worker.exiting() do
        local left = deadline + GRACE_SECONDS - ngx.now()
        if left <= 0 then
            return false
        end
        _M.sleep(min(left, TICK_SECONDS))
        held.renew(slot)
    end
    return false
end

-- Runs the work beside the watch.
local function run(slot, deadline, work, ...)
    local worker = ngx.thread.spawn(work, deadline, ...)
    local watcher = ngx.thread.spawn(watch, slot, deadline)
    local ok, result = ngx.thread.wait(worker, watcher) -- nginx logs why work failed
    held.release(slot)
    ngx.thread.kill(watcher)
    return ok and result or false
end

-- Calls work(deadline, ...) with `seconds` to do it, and gives what it returns; false when it failed or ran on past its
-- deadline, nil where the ceiling of the response is reached.
function _M.run(response, client, seconds, work, ...)
    local slot = held.acquire(network_of(client), response.max_held, response.max_held_per_address)
    if not slot then
        return nil
    end
    -- Refused where lua_check_client_abort is off: there a client that left is noticed when a write fails.
    ngx.on_abort(function()
        held.release(slot)
        return ngx.exit(CLIENT_LEFT)
    end)
    return run(slot, ngx.now() + seconds, work, ...)
end

-- An answer that work(deadline, blocked) writes. It returns true when the answer is whole, or the answer that is given
-- instead; else the connection closes, so that what was sent cannot pass for whole. Past the ceiling the answer is that of
-- mode text.
function _M.new(response, seconds, work)
    local refuse = pages.plain(response, ngx.HTTP_FORBIDDEN)
    return function(blocked)
        local result = _M.run(response, blocked.client, seconds, work, blocked)
        if result == nil then
            return refuse(blocked)
        elseif result == true then
            -- Not before: nginx ends a request whose body breaks off, and with it what gives the slot back.
            local is_discarded = pcall(ngx.req.discard_body)
            return ngx.exit(is_discarded and ngx.HTTP_OK or ngx.ERROR) -- a malformed body ends the connection
        end
        return (result or _M.cut)(blocked)
    end
end

-- Bytes that this worker has written since other requests last got their turn.
local written = 0
local TURN_BYTES = 256 * 1024

-- Sends a piece of the body at once; false when the client is gone. A client that takes everything at once must not keep
-- other requests of the worker waiting, nor stop its clock: they get their turn now and then.
function _M.write(piece)
    if not (ngx.print(piece) and ngx.flush(true)) then
        return false
    end
    written = written + #piece
    if written >= TURN_BYTES then
        written = 0
        _M.sleep(SHORTEST_SECONDS)
    end
    return true
end

return _M
