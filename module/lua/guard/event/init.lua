-- Security events: one line of JSON for each request that was blocked, or would have been, within the budget. A summary
-- counts the events beyond it.

local new_budget = require("guard.event.budget")
local files = require("guard.event.file")
local line = require("guard.event.line")
local limits = require("guard.tables").limits
local network_of = require("guard.network")
local new_reference = require("guard.event.reference")
local new_sum = require("guard.event.sum")

local now = ngx.now
local floor = math.floor

local NETWORK_BITS = 64 -- prefix length of the IPv6 network of one client

local _M = {}

-- The budget of all policies. With the shared dictionary `guard` it covers all workers together.
local has_room = new_budget(limits.events_per_second, limits.events_for_new_clients, ngx.shared.guard)
local sum = new_sum()
local complained_at = -1

-- Writes a line. A failure must not stop a request; it is reported at most once a second.
local function write(out, text)
    local ok, err = out(text)
    if not ok and floor(now()) ~= complained_at then
        complained_at = floor(now())
        ngx.log(ngx.ERR, "guard: a security event cannot be written: ", err)
    end
    return ok
end

-- Whether the next event that gets a line must first write the summary, because no timer will.
local is_summary_overdue = false

local function summarize(out)
    is_summary_overdue = sum.count() > 0 and not write(out, line.summary(now(), sum.result()))
    if not is_summary_overdue then
        sum.forget()
    end
end

-- Schedules the summary for the end of this second. When the worker exits, nginx runs the timer immediately.
local function summarize_later(out)
    local time = now()
    local ok, err = ngx.timer.at(floor(time) + 1 - time, function() summarize(out) end)
    if not ok then
        is_summary_overdue = true
        ngx.log(ngx.ERR, "guard: the summary of suppressed security events waits for the next event: ", err)
    end
end

-- Returns a function that writes an event to `path` or standard output. The function returns the reference of the
-- event, or nil when it wrote no line or nginx finds no libcrypto.
function _M.log(path)
    local out = path and files.append(path, now) or files.standard_output()
    return function(event)
        event.time = now()
        local network = network_of(event.client_ip, NETWORK_BITS)
        if has_room(event.time, network) then
            if is_summary_overdue then
                summarize(out)
            end
            event.reference = new_reference()
            return write(out, line.of(event)) and event.reference or nil
        end
        sum.add(event, network)
        if sum.count() == 1 then
            summarize_later(out)
        end
    end
end

return _M
