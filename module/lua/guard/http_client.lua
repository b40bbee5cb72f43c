-- An HTTP/1.1 client over nginx's sockets, bounded in bytes and in time. It reuses connections.
--
-- Functions that fail return nil and a reason. The reason "timeout" means that the deadline, or the time to connect,
-- has passed.

local bodies = require("guard.http_body")
local limits = require("guard.tables").limits
local parse_head = require("guard.http_head")

local concat = table.concat
local find, lower, match, sub = string.find, string.lower, string.match, string.sub
local ceil, max, min = math.ceil, math.max, math.min
local tonumber = tonumber

local _M = {}
local connection = {}
connection.__index = connection

local HEAD_END = "\r\n\r\n"
local PIECE_BYTES = 32768
local MS = 1000

-- Sets the timeout of the next operation to the remaining time.
local function set_timeout(self)
    local left = self.deadline - ngx.now()
    if left <= 0 then
        return nil, "timeout"
    end
    local ms = max(1, ceil(left * MS))
    self.socket:settimeouts(ms, ms, ms)
    return true
end

-- Performs the TLS handshake. Requests the TLS session although it is not used: without it, a failed verification can
-- look like a success. With it, lua-resty-core throws when the handshake fails immediately, so the error is caught.
local function shake_hands(socket, host)
    local is_called, session, err = pcall(socket.sslhandshake, socket, nil, host, true)
    if not is_called then
        return nil, "the TLS handshake failed"
    end
    return session, err
end

-- Connects to the host of a URL (guard.web_url). `deadline` applies to everything on the connection. Connecting itself
-- may take at most limits.mirror_dial_seconds.
function _M.connect(url, deadline)
    local self = setmetatable({ socket = ngx.socket.tcp(), buffer = "" }, connection)
    self.deadline = min(deadline, ngx.now() + limits.mirror_dial_seconds)
    local ok, err = set_timeout(self)
    if ok then
        -- A separate pool: connections of other code may not have verified the certificate.
        local pool = concat({ "guard", url.scheme, url.host, url.port }, " ")
        ok, err = self.socket:connect(url.host, url.port, { pool = pool })
    end
    if ok and url.scheme == "https" and self.socket:getreusedtimes() == 0 then
        ok, err = shake_hands(self.socket, url.host)
    end
    if not ok then
        return nil, err
    end
    self.deadline = deadline
    return self
end

function connection:close()
    self.socket:close()
end

-- Whether the connection is reusable: no data follows the response, and the server accepts another request.
local function is_reusable(self)
    local is_chunked = self:header("transfer-encoding") ~= nil
    return self.head.is_persistent and (is_chunked or self:body_length() ~= nil)
        and self.buffer == (is_chunked and "\r\n" or "")
end

-- Keeps a reusable connection for `seconds`, at most `most` per server. Closes any other. Call it after a response was
-- read to its end.
function connection:keep(seconds, most)
    if not (is_reusable(self) and self.socket:setkeepalive(seconds * MS, most)) then
        self:close()
    end
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

function connection:send(bytes)
    local ok, err = set_timeout(self)
    if not ok then
        return nil, err
    end
    return self.socket:send(bytes)
end

-- Reads more bytes into the buffer. Returns nil and "closed" at the end.
function connection:fill()
    local ok, err = set_timeout(self)
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

-- Removes the text before a mark, and the mark, from the buffer. Returns the text, or nil and a reason when it has
-- `most` bytes or more, or when the connection fails.
function connection:read_until(mark, most)
    while true do
        local first, last = find(self.buffer, mark, 1, true)
        if first and first <= most then
            local text = sub(self.buffer, 1, first - 1)
            self.buffer = sub(self.buffer, last + 1)
            return text
        elseif #self.buffer > most then
            return nil, "the response is not HTTP/1.1, or its head is too long"
        end
        local ok, err = self:fill()
        if not ok then
            return nil, err
        end
    end
end

-- Reads the head of the response. Skips interim responses. The total bytes of all heads are bounded.
function connection:read_head()
    local head
    local left = limits.mirror_head_bytes
    repeat
        local text, err = self:read_until(HEAD_END, left)
        if not text then
            return nil, err
        end
        left = left - #text - #HEAD_END
        head, err = parse_head(text)
        if not head then
            return nil, err
        elseif head.status == 101 then
            return nil, "the response switches protocols"
        end
    until head.status >= 200
    self.head = head
    return head
end

-- Returns the first value of a header of the response, or nil. `wanted` is in lower case.
function connection:header(wanted)
    for _, header in ipairs(self.head.headers) do
        if lower(header[1]) == wanted then
            return header[2]
        end
    end
end

-- Returns the length of the body that the head announces. Returns nil when the body ends with the connection or a last
-- chunk.
function connection:body_length()
    local status = self.head.status
    if self.is_head_request or status == 204 or status == 304 then
        return 0
    elseif self:header("transfer-encoding") then
        return nil
    end
    return tonumber(match(self:header("content-length") or "", "^%d+$"))
end

-- Reads the body of the response in pieces; a sink that returns false ends the reading.
function connection:read_body(sink)
    local length = self:body_length()
    if length then
        return bodies.read_length(self, length, sink)
    elseif lower(self:header("transfer-encoding") or "") == "chunked" then
        return bodies.read_chunks(self, sink)
    end
    return bodies.read_to_end(self, sink)
end

return _M
