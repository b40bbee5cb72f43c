-- The body of the current request, which nginx reads whole, in memory or in a file.

local PIECE_BYTES = 65536

local _M = {}

-- Reads it, and gives its length in bytes; nil when it cannot be read.
function _M.length()
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

-- Hands it to a sink in pieces, until the sink returns nothing; true, or nil and a reason.
function _M.each(sink)
    local path = ngx.req.get_body_file()
    if not path then
        return sink(ngx.req.get_body_data() or "")
    end
    local file, err = io.open(path, "rb")
    if not file then
        return nil, err
    end
    local ok = true
    for piece in file.read, file, PIECE_BYTES do
        ok, err = sink(piece)
        if not ok then
            break
        end
    end
    file:close()
    return ok, err
end

return _M
