-- Reads a ban list without blocking on a pipe.

local ffi = require("ffi")
local limits = require("guard.tables").limits
local tables = require("guard.bans.table")
local open_file = require("guard.event.file").open_for_reading

local C = ffi.C

local EDGE_BYTES = 22 -- of the first line, and of the last one
local PIECE_BYTES = 262144 -- of one read, which blocks the worker
local SEEK_END = 2

-- Reads bytes of the file into memory. Returns whether all of them were read.
local function fill(fd, memory, size, offset, pause)
    local at = 0
    while at < size do
        local count = tonumber(C.pread(fd, memory + at, math.min(size - at, PIECE_BYTES), offset + at))
        if count <= 0 then
            return false
        end
        at = at + count
        pause()
    end
    return true
end

local function text_at(fd, offset, pause)
    local text = ffi.new("uint8_t[?]", EDGE_BYTES)
    return fill(fd, text, EDGE_BYTES, offset, pause) and ffi.string(text, EDGE_BYTES)
end

local CUT = "it ended while it was read"

local function read(fd, current, pause)
    local size = tonumber(C.lseek(fd, 0, SEEK_END)) - 2 * EDGE_BYTES
    if size < 0 or size % tables.RANGE_BYTES ~= 0 or size > limits.ban_list_ranges * tables.RANGE_BYTES then
        return nil, "it is not a regular file, or has a wrong size"
    end
    local first_line, last_line = text_at(fd, 0, pause), text_at(fd, EDGE_BYTES + size, pause)
    if not first_line or not last_line then
        return nil, CUT
    elseif current and current.edges == first_line .. last_line then
        return current
    end
    local new, reason = tables.new(size)
    if not new then
        return nil, reason
    end
    local is_sealed
    if fill(fd, new.bytes, size, EDGE_BYTES, pause) then
        is_sealed, reason = new:seal(first_line, last_line, pause)
    else
        reason = CUT
    end
    if is_sealed then
        return new
    end
    new:free()
    return nil, reason
end

-- Returns the table of the file, which is the current one when the file is the same. Returns nil and a reason for a file
-- that cannot be used. Calls `pause` between two parts.
return function(path, current, pause)
    local fd, reason = open_file(path)
    if not fd then
        return nil, reason
    end
    local ok, found, why = pcall(read, fd, current, pause)
    C.close(fd)
    if not ok then
        return nil, found
    end
    return found, why
end
