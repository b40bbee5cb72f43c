-- Writes event lines to a file that is reopened after log rotation renamed it, or to standard output.

local ffi = require("ffi")
local limits = require("guard.tables").limits

local C = ffi.C
local sub = string.sub

ffi.cdef([[
int open(const char *path, int flags, ...);
int close(int fd);
ssize_t pread(int fd, void *bytes, size_t count, long offset);
ssize_t write(int fd, const void *bytes, size_t count);
char *strerror(int number);
long lseek(int fd, long offset, int whence);
int flock(int fd, int operation);
ssize_t readlink(const char *path, char *text, size_t size);
int rename(const char *path, const char *other);
]])

local _M = {}

local LINE_FEED = 0x0A
local STANDARD_OUTPUT = 1
-- Appended to the name of a full file. An older file with this name is replaced. Log rotation uses other names.
local OLD_SUFFIX = ".old"
local SEEK_END, LOCK_EX, LOCK_NB = 2, 2, 4
-- Seconds between two checks of the file: whether log rotation has renamed it, and whether it is full.
local CHECK_SECONDS = 1
local MODE = 0x1A0 -- 0640: readable for owner and group
-- O_RDONLY | O_NONBLOCK | O_CLOEXEC. Without O_NONBLOCK, opening a pipe waits for the other end.
local READ_FLAGS = ffi.os == "Linux" and 0x800 + 0x80000 or 0x4 + 0x1000000
-- READ_FLAGS, but O_WRONLY | O_CREAT | O_APPEND instead of O_RDONLY.
local APPEND_FLAGS = READ_FLAGS + (ffi.os == "Linux" and 0x1 + 0x40 + 0x400 or 0x1 + 0x200 + 0x8)

local function error_text()
    return ffi.string(C.strerror(ffi.errno()))
end

-- Writes a line. Returns whether the file now ends with an incomplete line, and a reason when bytes are missing.
local function write(fd, text, is_in_line)
    text = is_in_line and "\n" .. text or text
    local count = tonumber(C.write(fd, text, #text))
    if count == #text then
        return false
    end
    if count < 0 then
        return is_in_line, error_text()
    end
    if count > 0 then
        is_in_line = sub(text, count, count) ~= "\n"
    end
    return is_in_line, ("%d of %d bytes were written"):format(count, #text)
end

-- Whether a file ends with an incomplete line. Returns false for a device, and for a file that cannot be opened for
-- reading.
local function ends_in_line(path, size)
    local fd = size > 0 and C.open(path, READ_FLAGS) or -1
    if fd < 0 then
        return false
    end
    local last = ffi.new("char[1]", LINE_FEED)
    C.pread(fd, last, 1, size - 1)
    C.close(fd)
    return last[0] ~= LINE_FEED
end

-- Opens a file. Returns its descriptor, or nil and a reason.
function _M.open_for_reading(path)
    local fd = C.open(path, READ_FLAGS)
    if fd < 0 then
        return nil, error_text()
    end
    return fd
end

-- Opens a file for appending. Returns its descriptor and its size, or nil and a reason.
local function open(path)
    local fd = C.open(path, APPEND_FLAGS, ffi.cast("int", MODE))
    if fd < 0 then
        return nil, path .. ": " .. error_text()
    end
    local size = tonumber(C.lseek(fd, 0, SEEK_END))
    if size < 0 then -- a file without an end, such as a pipe, can block a write
        C.close(fd)
        return nil, path .. " is a pipe or a terminal, which can block requests: name a file"
    end
    return fd, size
end

-- Renames the full file at `path`. Returns true, or nil and a reason.
local function rename(path, size)
    if C.readlink(path, ffi.new("char[1]"), 1) >= 0 then
        return nil, ("%s is a symbolic link to a file of %d bytes: rotate that file"):format(path, size)
    end
    if C.rename(path, path .. OLD_SUFFIX) ~= 0 then
        return nil, ("%s has %d bytes and cannot be renamed: %s"):format(path, size, error_text())
    end
    return true
end

-- Opens the file at `path`, and renames a full file before. Only the worker that locks the full file renames it; other
-- workers open the new file at their next check.
local function open_with_room(path)
    local fd, size = open(path)
    if not fd or size < limits.event_file_bytes or C.flock(fd, LOCK_EX + LOCK_NB) ~= 0 then
        return fd, size
    end
    local current, current_size = open(path)
    if current and current_size >= limits.event_file_bytes then
        local is_renamed, err = rename(path, current_size)
        C.close(current)
        current, current_size = nil, err
        if is_renamed then
            current, current_size = open(path)
        end
    end
    C.close(fd)
    return current, current_size
end

-- Returns a function that writes a line to standard output with one call. It returns true, or nil and a reason.
function _M.standard_output()
    local is_in_line, err = false, nil
    return function(text)
        is_in_line, err = write(STANDARD_OUTPUT, text, is_in_line)
        return not err or nil, err
    end
end

-- Returns a function that appends a line to the file at `path`. It returns true, or nil and a reason. `now()` returns
-- seconds.
function _M.append(path, now)
    local fd, opened, is_in_line = -1, -CHECK_SECONDS, false
    local function reopen()
        local fresh, size = open_with_room(path)
        if not fresh then
            return nil, size
        end
        if fd >= 0 then
            C.close(fd)
        end
        fd, opened, is_in_line = fresh, now(), ends_in_line(path, size)
        return true
    end
    return function(text)
        local ok, err
        if math.abs(now() - opened) >= CHECK_SECONDS then
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
