-- Destinations of event lines: a file that is reopened after log rotation renamed it, or standard output.

local ffi = require("ffi")

local C = ffi.C
local sub = string.sub

ffi.cdef([[
int open(const char *path, int flags, ...);
int close(int fd);
ssize_t write(int fd, const void *bytes, size_t count);
char *strerror(int number);
]])

local _M = {}

local STANDARD_OUTPUT = 1
-- Seconds between checks that the path still names the open file.
local OPEN_SECONDS = 1
local MODE = 0x1A0 -- 0640: readable for owner and group
-- O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
local FLAGS = ffi.os == "Linux" and 0x1 + 0x40 + 0x400 + 0x80000 or 0x1 + 0x200 + 0x8 + 0x1000000

local function reason()
    return ffi.string(C.strerror(ffi.errno()))
end

-- Writes a line, after the end of one that was cut off: `is_in_line`. Returns whether this one was cut off as well, and a
-- reason when not all of it was written.
local function write(fd, text, is_in_line)
    text = is_in_line and "\n" .. text or text
    local count = tonumber(C.write(fd, text, #text))
    if count == #text then
        return false
    end
    if count < 0 then
        return is_in_line, reason()
    end
    if count > 0 then
        is_in_line = sub(text, count, count) ~= "\n"
    end
    return is_in_line, ("%d of %d bytes were written"):format(count, #text)
end

-- Whether a file ends inside a line: a kill or a full disk cut it off. Devices and pipes have no size. A file that may
-- only be written is not read.
local function ends_in_line(path)
    local file = io.open(path, "rb")
    local size = file and file:seek("end") or 0
    local last = size > 0 and file:seek("set", size - 1) and file:read(1) or "\n"
    if file then
        file:close()
    end
    return last ~= "\n"
end

-- A writer of lines to standard output: true, or nil and a reason. One call writes one line.
function _M.standard_output()
    local is_in_line, err = false, nil
    return function(text)
        is_in_line, err = write(STANDARD_OUTPUT, text, is_in_line)
        return not err or nil, err
    end
end

-- A writer of lines to the end of the file at `path`, which is created when absent. `now()` returns seconds.
function _M.append(path, now)
    local fd, opened, is_in_line = -1, -OPEN_SECONDS, false
    local function reopen()
        local fresh = C.open(path, FLAGS, ffi.cast("int", MODE))
        if fresh < 0 then
            return nil, path .. ": " .. reason()
        end
        if fd >= 0 then
            C.close(fd)
        end
        fd, opened, is_in_line = fresh, now(), ends_in_line(path)
        return true
    end
    return function(text)
        local ok, err
        if math.abs(now() - opened) >= OPEN_SECONDS then
            ok, err = reopen()
            if not ok then
                return nil, err
            end
        end
        is_in_line, err = write(fd, text, is_in_line)
        return not err or nil, err
    end
end

return _M
