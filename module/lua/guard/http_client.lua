-- A client of HTTP/1.1 over nginx's own sockets, bounded in bytes and in time. One request for each connection.
--
-- Functions that fail give nil and a reason; the reason "timeout" means that the deadline has passed.

local concat = table.concat
local find, gmatch, lower, match, sub = string.find, string.gmatch, string.lower, string.match, string.sub
local max, tonumber = math.max, tonumber

local _M = {}
local connection = {}
connection.__index = connection

local MAX_HEAD_BYTES = 65536 -- of an answer: twice what the larger servers send at most
local MAX_LINE_BYTES = 1024 -- of the frame of a chunk
local PIECE_BYTES = 32768
local MS = 1000

-- Gives what is left of the time to the next operation.
local function arm(self)
    local left = self.deadline - ngx.now()
    if left <= 0 then
        return nil, "timeout"
    end
    local ms = max(1, left * MS)
    self.socket:settimeouts(ms, ms, ms)
    return true
end

-- Connects to the host of a URL (guard.web_url); `deadline` is the time at which everything with it ends. TLS is verified
-- against lua_ssl_trusted_certificate, and names are looked up by `resolver`.
function _M.connect(url, deadline)
    local self = setmetatable({ socket = ngx.socket.tcp(), deadline = deadline, buffer = "" }, connection)
    local ok, err = arm(self)
    if ok then
        ok, err = self.socket:connect(url.host, url.port)
    end
    if ok and url.scheme == "https" then
        ok, err = self.socket:sslhandshake(nil, url.host, true)
    end
    if not ok then
        return nil, err
    end
    return self
end

function connection:close()
    self.socket:close()
end

-- Sends the head of a request; `headers` are pairs of name and value.
function connection:send_head(method, target, headers)
    local lines = { method .. " " .. target .. " HTTP/1.1" }
    for _, header in ipairs(headers) do
        lines[#lines + 1] = header[1] .. ": " .. header[2]
    end
    lines[#lines + 1] = "\r\n"
    self.is_head_request = method == "HEAD"
    return self:send(concat(lines, "\r\n"))
end

-- Sends bytes as they are.
function connection:send(bytes)
    local ok, err = arm(self)
    if not ok then
        return nil, err
    end
    return self.socket:send(bytes)
end

-- Reads some more bytes into the buffer.
local function fill(self)
    local ok, err = arm(self)
    if not ok then
        return nil, err
    end
    local bytes
    bytes, err = self.socket:receiveany(PIECE_BYTES)
    if not bytes then
        return nil, err
    end
    self.buffer = self.buffer .. bytes
    return true
end

-- Everything up to a mark, which is taken out too.
local function read_until(self, mark, most)
    while true do
        local first, last = find(self.buffer, mark, 1, true)
        if first and first <= most then
            local text = sub(self.buffer, 1, first - 1)
            self.buffer = sub(self.buffer, last + 1)
            return text
        elseif #self.buffer > most then
            return nil, "the answer is not HTTP/1.1, or its head is too long"
        end
        local ok, err = fill(self)
        if not ok then
            return nil, err
        end
    end
end

local function parse_head(text)
    local status = match(text, "^HTTP/1%.[01] (%d%d%d)%f[ \r%z]")
    local headers = {}
    for line in gmatch(match(text, "\r\n(.*)$") or "", "[^\r\n]+") do
        local name, value = match(line, "^([^%s:%c]+):[ \t]*(.-)[ \t]*$")
        if not name or find(value, "[%z\1-\8\10-\31\127]") then
            return nil, "the answer has a malformed header"
        end
        headers[#headers + 1] = { name, value }
    end
    if not status then
        return nil, "the answer is not HTTP/1.1"
    end
    return { status = tonumber(status), headers = headers }
end

-- Reads the head of the answer, behind those of interim ones: {status =, headers = {{name, value}, ...}}.
function connection:read_head()
    local head
    repeat
        local text, err = read_until(self, "\r\n\r\n", MAX_HEAD_BYTES)
        if not text then
            return nil, err
        end
        head, err = parse_head(text)
        if not head then
            return nil, err
        elseif head.status == 101 then
            return nil, "the answer switches protocols"
        end
    until head.status >= 200
    self.head = head
    return head
end

-- The value of a header of the answer; nil when absent.
function connection:header(wanted)
    for _, header in ipairs(self.head.headers) do
        if lower(header[1]) == wanted then
            return header[2]
        end
    end
end

-- Hands `length` bytes to the sink.
local function read_length(self, length, sink)
    while length > 0 do
        if self.buffer == "" then
            local ok, err = fill(self)
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

local function read_chunks(self, sink)
    while true do
        local line, err = read_until(self, "\r\n", MAX_LINE_BYTES)
        local size = tonumber(match(line or "", "^(%x%x?%x?%x?%x?%x?%x?%x?)%f[^%x]"), 16)
        if not size then
            return nil, err or "the answer has a malformed chunk"
        elseif size == 0 then
            return true -- nobody needs the trailers, and the connection ends here
        end
        local ok
        ok, err = read_length(self, size, sink)
        if ok then
            ok, err = read_until(self, "\r\n", MAX_LINE_BYTES)
        end
        if ok ~= "" then
            return nil, err or "the answer has a malformed chunk"
        end
    end
end

local function read_to_end(self, sink)
    repeat
        local piece = self.buffer
        self.buffer = ""
        if piece ~= "" and not sink(piece) then
            return nil, "stopped"
        end
        local ok, err = fill(self)
        if not ok then
            return err == "closed" or nil, err
        end
    until false
end

-- Length of the body where the head says it: nil for one that ends with the connection or with a last chunk.
function connection:body_length()
    local status = self.head.status
    if self.is_head_request or status == 204 or status == 304 then
        return 0
    elseif self:header("transfer-encoding") then
        return nil
    end
    return tonumber(match(self:header("content-length") or "", "^%d+$"))
end

-- Reads the body of the answer in pieces; a sink that returns false stops it.
function connection:read_body(sink)
    local length = self:body_length()
    if length then
        return read_length(self, length, sink)
    elseif lower(self:header("transfer-encoding") or "") == "chunked" then
        return read_chunks(self, sink)
    end
    return read_to_end(self, sink)
end

return _M
