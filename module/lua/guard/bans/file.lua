-- Reads a ban list without blocking on a pipe.

local ffi = require("ffi")
local limits = require("guard.tables").limits
local tables = require("guard.bans.table")
local open_file = require("guard.event.file").open_for_reading

local C = ffi.C

local EDGE_BYTES = 22 -- of the first line, and of the last one
local SEEK_END = 2
local CUT = "it ended while it was read"

-- The part of a file that is being checked. Nothing else runs before it is.
local piece = ffi.new("uint8_t[?]", tables.PIECE_RANGES * tables.RANGE_BYTES)

-- Reads bytes of the file into the piece. Returns whether all of them were read.
local function fill(fd, size, offset)
    local at = 0
    while at < size do
        local count = tonumber(C.pread(fd, piece + at, size - at, offset + at))
        if count <= 0 then
            return false
        end
        at = at + count
    end
    return true
end

local function text_at(fd, offset)
    return fill(fd, EDGE_BYTES, offset) and ffi.string(piece, EDGE_BYTES)
end

-- Reads and checks all ranges. Returns true, or nil and a reason.
local function read_all(new, fd, count, last_line, pause)
    for from = 0, count - 1, tables.PIECE_RANGES do
        local ranges = math.min(count - from, tables.PIECE_RANGES)
        if not fill(fd, ranges * tables.RANGE_BYTES, EDGE_BYTES + from * tables.RANGE_BYTES) then
            return nil, CUT
        end
        local ok, reason = new:append(piece, ranges)
        if not ok then
            return nil, reason
        end
        pause()
    end
    return new:seal(last_line)
end

-- Whether the current table stays in force. One from the future does not: a clock was set back.
local function is_older(first_line, current, now)
    local written = tables.written(first_line)
    return written and written < current.written and current.written <= now
end

local function read(fd, current, now, pause)
    local size = tonumber(C.lseek(fd, 0, SEEK_END)) - 2 * EDGE_BYTES
    if size < 0 or size % tables.RANGE_BYTES ~= 0 or size > limits.ban_list_ranges * tables.RANGE_BYTES then
        return nil, "it is not a regular file, or has a wrong size"
    end
    local first_line, last_line = text_at(fd, 0), text_at(fd, EDGE_BYTES + size)
    if not first_line or not last_line then
        return nil, CUT
    elseif current and current.edges == first_line .. last_line then
        return current
    elseif current and is_older(first_line, current, now) then
        return nil, "it is older"
    end
    local count = size / tables.RANGE_BYTES
    local new, reason = tables.new(count, first_line)
    if not new then
        return nil, reason
    end
    local ok, is_read, fault = pcall(read_all, new, fd, count, last_line, pause)
    if ok and is_read then
        return new
    end
    new:free()
    return nil, ok and fault or is_read
end

-- Returns the table of the file, which is the current one when the file is the same. Returns nil and a reason for a file
-- that cannot be used. Calls `pause` between two parts.
return function(path, current, now, pause)
    local fd, reason = open_file(path)
    if not fd then
        return nil, reason
    end
    local ok, found, why = pcall(read, fd, current, now, pause)
    C.close(fd)
    if not ok then
        return nil, found
    end
    return found, why
end
