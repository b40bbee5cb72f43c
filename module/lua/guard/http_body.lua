-- Reads response bodies and passes the pieces to a sink. A sink that returns false ends the reading. The functions
-- return true when the body is complete, otherwise nil and a reason.

local match, sub = string.match, string.sub
local tonumber = tonumber

local _M = {}

local MAX_LINE_BYTES = 1024 -- maximum length of a chunk header line

function _M.read_length(self, length, sink)
    while length > 0 do
        if self.buffer == "" then
            local ok, err = self:fill()
            if not ok then
                return nil, err
            end
        end
        local piece = sub(self.buffer, 1, length)
        self.buffer = sub(self.buffer, #piece + 1)
        length = length - #piece
        if not sink(piece) then
            return nil, "stopped"
        end
    end
    return true
end

-- Passes the data of chunks to the sink (RFC 9112 7.1).
function _M.read_chunks(self, sink)
    while true do
        local line, err = self:read_until("\r\n", MAX_LINE_BYTES)
        local size = tonumber(match(line or "", "^(%x%x?%x?%x?%x?%x?%x?%x?)%f[^%x]") or "", 16)
        if not size then
            return nil, err or "the response has a malformed chunk"
        elseif size == 0 then
            return true -- does not read trailers; the caller closes a connection with unread bytes
        end
        local ok
        ok, err = _M.read_length(self, size, sink)
        if ok then
            ok, err = self:read_until("\r\n", MAX_LINE_BYTES)
        end
        if ok ~= "" then
            return nil, err or "the response has a malformed chunk"
        end
    end
end

-- Passes everything to the sink until the connection ends.
function _M.read_to_end(self, sink)
    repeat
        local piece = self.buffer
        self.buffer = ""
        if piece ~= "" and not sink(piece) then
            return nil, "stopped"
        end
        local ok, err = self:fill()
        if not ok then
            return err == "closed" or nil, err
        end
    until false
end

return _M
