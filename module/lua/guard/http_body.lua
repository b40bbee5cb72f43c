-- Reads the bodies of responses in their three framings, in pieces for a sink; a sink that returns false ends the
-- reading. True when the body is complete, else nil and a reason.

local match, sub = string.match, string.sub
local tonumber = tonumber

local _M = {}

local MAX_LINE_BYTES = 1024 -- of the frame of a chunk

-- Passes `length` bytes to the sink.
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
        local line, err = self:take_until("\r\n", MAX_LINE_BYTES)
        local size = tonumber(match(line or "", "^(%x%x?%x?%x?%x?%x?%x?%x?)%f[^%x]") or "", 16)
        if not size then
            return nil, err or "the response has a malformed chunk"
        elseif size == 0 then
            return true -- trailers are not read: a connection with some is not kept
        end
        local ok
        ok, err = _M.read_length(self, size, sink)
        if ok then
            ok, err = self:take_until("\r\n", MAX_LINE_BYTES)
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
