-- The ban list at a path. It keeps its table when the file is gone, damaged or older.

local read = require("guard.bans.file")
local escape = require("guard.engine.bytes").escape
local limits = require("guard.tables").limits

local _M = {}

local function nothing() end

local function report(list, reason)
    if list.reason == reason then
        return
    end
    list.reason = reason
    list.report("guard: the ban list " .. escape(list.path) .. " cannot be used, and "
        .. (list.table and "the last one that could be read stays in force" or "no client is banned") .. ": "
        .. escape(reason))
end

-- Reads the file if it is another one than before. Calls `pause` between two parts; other requests may run then.
function _M.look(list, now, pause)
    if list.is_busy then
        return
    end
    list.is_busy, list.looked_at = true, now
    local current = list.table
    local new, reason = read(list.path, current, now, pause or nothing)
    list.is_busy = false
    if not new then
        report(list, reason)
        return
    end
    list.reason = nil
    if new ~= current then
        list.table = new
        if current then
            current:free() -- at once: a worker has at most two tables
        end
    end
end

-- Whether the last look is so long ago that the table may be outdated.
function _M.is_stale(list, now)
    return math.abs(now - list.looked_at) > 2 * limits.ban_list_look_seconds
end

function _M.open(path, now, report_to)
    local list = { path = path, report = report_to, looked_at = 0 }
    _M.look(list, now)
    return list
end

return _M
