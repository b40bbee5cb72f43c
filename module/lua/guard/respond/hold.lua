-- Holds a request open: with a ceiling, until a time, and no longer than the client and the worker want.

local held = require("guard.held")
local modes = require("guard.policy.tables").modes
local network_of = require("guard.network")
local pages = require("guard.respond.pages")

local min, setmetatable = math.min, setmetatable

local _M = {}

-- How often a held request looks whether the worker should end, seconds: what a reload or shutdown may wait.
local TICK_SECONDS = 0.5
-- How long work that should end by itself at its deadline may take to do so, seconds; then it is cut off.
local GRACE_SECONDS = 1
local CUT = 444
local CLIENT_LEFT = 499

-- The answer of mode text with its defaults.
local function as_text()
    return pages.text({ response = setmetatable({}, { __index = modes.text }), headers = {} })
end

-- Returns when the work must be cut off.
local function watch(slot, deadline)
    while not ngx.worker.exiting() do
        local left = deadline + GRACE_SECONDS - ngx.now()
        if left <= 0 then
            return
        end
        ngx.sleep(min(left, TICK_SECONDS))
        held.renew(slot)
    end
end

-- Runs the work beside the watch; whether it ended by itself and as it should.
local function run(slot, deadline, work, blocked)
    local worker = ngx.thread.spawn(work, blocked, deadline)
    local watcher = ngx.thread.spawn(watch, slot, deadline)
    local ok, is_whole = ngx.thread.wait(worker, watcher)
    held.release(slot)
    if not ok then
        ngx.log(ngx.ERR, "guard: a held request ended: ", is_whole)
    end
    return ok and is_whole
end

-- Runs work(blocked, deadline) for at most `seconds` while a slot is held. It returns true when the answer is whole;
-- anything else, or running on past its deadline, closes the connection, so that what was sent cannot pass for whole.
-- Past the ceiling the answer is that of mode text.
function _M.new(response, seconds, work)
    local refuse = as_text()
    return function(blocked)
        local slot = held.acquire(network_of(blocked.client), response.max_held, response.max_held_per_address)
        if not slot then
            return refuse(blocked)
        end
        -- Refused where lua_check_client_abort is off: there a client that left is noticed when a write fails.
        ngx.on_abort(function()
            held.release(slot)
            return ngx.exit(CLIENT_LEFT)
        end)
        return ngx.exit(run(slot, ngx.now() + seconds, work, blocked) and ngx.HTTP_OK or CUT)
    end
end

-- Sends a piece of the body at once; false when the client is gone. A client that takes everything at once must not keep
-- other requests of the worker waiting, nor stop its clock: they get their turn between two pieces.
function _M.write(piece)
    if not (ngx.print(piece) and ngx.flush(true)) then
        return false
    end
    ngx.sleep(0)
    return true
end

return _M
