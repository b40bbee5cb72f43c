-- The body of the current request. nginx reads all of it into memory or a file.

local PIECE_BYTES = 65536

local _M = {}

-- Returns the length in bytes after reading the body, or nil when it cannot be read.
local function read_length()
    ngx.req.read_body()
    local path = ngx.req.get_body_file()
    if not path then
        return #(ngx.req.get_body_data() or "")
    end
    local file = io.open(path, "rb")
    local length = file and file:seek("end")
    if file then
        file:close()
    end
    return length
end

-- Reads the body and returns its length, or nil when it does not arrive in time or cannot be read.
function _M.read(seconds)
    local reader = ngx.thread.spawn(read_length)
    local timer = ngx.thread.spawn(function() ngx.sleep(seconds) end)
    local ok, length = ngx.thread.wait(reader, timer) -- nginx logs why the reader failed
    ngx.thread.kill(timer)
    return ok and length or nil
end

-- Passes the body to a sink in pieces, until the sink returns a false value. Returns true, or nil and a reason.
function _M.each(sink)
    local path = ngx.req.get_body_file()
    if not path then
        return sink(ngx.req.get_body_data() or "")
    end
    local file, err = io.open(path, "rb")
    if not file then
        return nil, err
    end
    local ok, piece = true, file:read(PIECE_BYTES)
    while ok and piece do
        ok, err = sink(piece)
        piece = file:read(PIECE_BYTES)
    end
    file:close()
    return ok, err
end

return _M
