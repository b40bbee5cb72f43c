-- Mode proxy forwards the request to a honeypot, and its response to the client.

local body = require("guard.respond.request_body")
local hold = require("guard.respond.hold")
local http = require("guard.http_client")
local mirror_headers = require("guard.respond.mirror_headers")
local mirror = require("guard.texts").mirror
local pages = require("guard.respond.pages")
local send = require("guard.respond.send")
local web_url = require("guard.web_url")

local find = string.find
local pairs = pairs

-- Seconds by which a socket may time out before its deadline, because its clock counts milliseconds.
local CLOCK_SECONDS = 0.01

local has_resolver_warning = false

-- Reports a fault that the operator can fix, once in each worker.
local function report(err)
    if find(err, "no resolver", 1, true) and not has_resolver_warning then
        has_resolver_warning = true
        ngx.log(ngx.ERR, "guard: proxy_url names a host, so mode proxy needs the directive resolver: ", err)
    end
end

-- Returns the connection to the target with the head of its response, or nil and a reason.
local function send_request(self, deadline, blocked)
    local length = body.read(deadline - ngx.now())
    local connection, err = http.connect(self.url, deadline)
    if not connection then
        return nil, err
    end
    local target = mirror_headers.target(self.url, ngx.var.request_uri)
    local headers = mirror_headers.request(self.url, blocked, length)
    if connection:send_head(ngx.req.get_method(), target, headers) then
        -- Ignores a failure, because a target may respond before it has received the whole body.
        body.each(function(piece) return connection:send(piece) end)
    end
    local head
    head, err = connection:read_head()
    if not head then
        connection:close()
        return nil, err
    end
    return connection
end

-- Sends the head of the response. Returns false when the client disconnected.
local function send_head(options, connection)
    local head = connection.head
    send.remove_conditions() -- the target has already applied them
    ngx.status = head.status
    ngx.header["Content-Type"] = nil -- otherwise nginx would send default_type
    for name, values in pairs(mirror_headers.answer(options, head)) do
        ngx.header[name] = #values == 1 and values[1] or values
    end
    if connection:header("transfer-encoding") then
        ngx.header["Content-Length"] = nil
    end
    return ngx.send_headers() and (connection:body_length() == 0 or ngx.flush(true))
end

local function relay(self, deadline, blocked)
    local connection, err = send_request(self, deadline, blocked)
    if not connection then
        report(err)
        return deadline - ngx.now() < CLOCK_SECONDS and self.timeout_responder or self.unreachable_responder
    end
    local is_whole = send_head(self.options, connection) and connection:read_body(hold.write)
    connection:close()
    return is_whole == true
end

-- Whether a guard has already mirrored the request.
local function was_mirrored()
    return ngx.req.get_headers(0)[mirror.loop_mark] ~= nil
end

return function(options)
    local response = options.response
    local self = {
        options = options,
        url = web_url(response.proxy_url),
        unreachable_responder = pages.plain(response, mirror.dead_status),
        timeout_responder = pages.plain(response, mirror.slow_status),
    }
    local loop_responder = pages.plain(response, mirror.loop_status)
    local relay_responder = hold.new(response, response.max_response_seconds, function(...) return relay(self, ...) end)
    return function(blocked)
        if was_mirrored() then
            return loop_responder(blocked)
        end
        -- Reads the body before a slot is acquired: nginx ends a request with a malformed body, and would then not
        -- release the slot.
        if not hold.is_full(response, blocked.client) and not body.read(response.max_response_seconds) then
            return hold.cut()
        end
        return relay_responder(blocked)
    end
end
