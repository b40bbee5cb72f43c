-- Destinations of event lines: a file that is reopened after log rotation renamed it, or standard output.

local ffi = require("ffi")

local C = ffi.C

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

local function write(fd, text)
    if C.write(fd, text, #text) ~= #text then
        return nil, reason()
    end
    return true
end

-- A writer of lines to standard output: true, or nil and a reason. One call writes one line.
function _M.standard_output()
    return function(text)
        return write(STANDARD_OUTPUT, text)
    end
end

-- A writer of lines to the end of the file at `path`, which is created when absent. `now()` returns seconds.
function _M.append(path, now)
    local fd, opened = -1, -OPEN_SECONDS
    local function reopen()
        local fresh = C.open(path, FLAGS, ffi.cast("int", MODE))
        if fresh < 0 then
            return nil, path .. ": " .. reason()
        end
        if fd >= 0 then
            C.close(fd)
        end
        fd, opened = fresh, now()
        return true
    end
    return function(text)
        if math.abs(now() - opened) >= OPEN_SECONDS then
            local ok, err = reopen()
            if not ok then
                return nil, err
            end
        end
        return write(fd, text)
    end
end

return _M
