-- The current request of nginx in the form of the engine. Rarely needed fields are read on demand.

local host_name = require("guard.engine.host_name")
local new_turns = require("guard.turns")

local var = ngx.var
local get_headers, get_method, http_version = ngx.req.get_headers, ngx.req.get_method, ngx.req.http_version
local is_internal = ngx.req.is_internal

local ipairs, pairs, rawset, setmetatable, type = ipairs, pairs, rawset, setmetatable, type
local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub
local concat, sort = table.concat, table.sort

local _M = {}

-- With a bound, get_headers would omit further headers. nginx bounds their bytes.
local ALL_HEADERS = 0

-- Number of headers that are read between two pauses.
local BATCH = 256

local function read_headers_by_name()
    return get_headers(ALL_HEADERS)
end

-- Reads headers, the values of each name in received order. Spellings of one name with dashes and underscores have a
-- fixed order.
local function read_headers(request)
    local by_name, names, spellings, list = request.headers_by_name, {}, {}, {}
    for name in pairs(by_name) do
        names[#names + 1] = name
    end
    for i, name in ipairs(names) do
        if i % BATCH == 0 then
            request.pause()
        end
        local normal = gsub(name, "_", "-")
        local same = spellings[normal] or {}
        spellings[normal], same[#same + 1] = same, name
    end
    names = {}
    for _, same in pairs(spellings) do
        sort(same)
        for _, name in ipairs(same) do
            names[#names + 1] = name
        end
    end
    for _, name in ipairs(names) do
        local values = by_name[name]
        for _, value in ipairs(type(values) == "table" and values or { values }) do
            list[#list + 1] = { name, value }
            if #list % BATCH == 0 then
                request.pause()
            end
        end
    end
    return list
end

-- Methods whose requests can have a body without announcing it.
local HAS_BODY = { POST = true, PUT = true, PATCH = true }

-- The report of mode detect about a body that nginx cannot read, to which mode enforce responds with 500.
local UNREAD_BODY_VERDICT = {
    blocked = true,
    reason = "limit_body",
    target = "body",
    status = 500,
    body = { overflow = "unread", values = 0, bytes = 0 },
}

local function fail(request, message)
    request.unread = UNREAD_BODY_VERDICT
    error(message)
end

-- Bytes of a file per read. A read blocks the worker.
local PIECE_BYTES = 262144

-- Reads the beginning of a body that nginx has written to a file. Other requests run between two pieces.
local function read_file(request, path, max_bytes)
    local file, err = io.open(path, "rb")
    if not file then
        fail(request, "the body of the request cannot be read: " .. err)
    end
    local pieces, left = {}, max_bytes
    repeat
        local piece = file:read(math.min(left, PIECE_BYTES)) or ""
        pieces[#pieces + 1], left = piece, left - #piece
        request.pause()
    until piece == "" or left == 0
    file:close()
    return concat(pieces)
end

-- Returns the version of HTTP. Some versions of lua-nginx-module do not know the number of HTTP/3.
function _M.version()
    return http_version() or 3
end

-- Whether the client may send a body. From HTTP/2 on, a request need not announce it.
local function may_have_body()
    return var.http_content_length or var.http_transfer_encoding or _M.version() >= 2
end

-- Header that marks a request while its body arrives. nginx refuses a malformed body itself, and an `error_page` may
-- then lead to the backend. After such an internal redirect only the headers of a request remain.
local ARRIVING_HEADER = "X-Guard-Body-Arriving"

local function receive_body(request)
    if is_internal() and var.http_x_guard_body_arriving then
        fail(request, "nginx refused the body of the request, and error_page passes the request on")
    end
    ngx.req.set_header(ARRIVING_HEADER, "1")
    local ok, err = pcall(ngx.req.read_body)
    ngx.req.clear_header(ARRIVING_HEADER)
    return ok, err
end

local function read_body(request)
    if not (request.head_verdict or may_have_body()) then
        return ""
    end
    local ok, err = receive_body(request)
    request.start_turn() -- other requests ran while the body arrived
    if not ok and (var.http_content_type or var.http_content_length or HAS_BODY[request.method]) then
        fail(request, "the body cannot be read; over HTTP/2, some versions of lua-nginx-module need a Content-Length: " .. err)
    elseif not ok then
        return "" -- some versions of lua-nginx-module throw an error even when there is no body
    end
    local path = ngx.req.get_body_file()
    if path then
        return read_file(request, path, request.max_body_bytes + 1)
    end
    return ngx.req.get_body_data() or ""
end

-- Returns the peer before nginx evaluates X-Forwarded-For. With `proxy_protocol` it is the client in the PROXY header,
-- or the TCP peer when the header has no address. A Unix socket has no address.
function _M.peer()
    return var.proxy_protocol_addr or var.realip_remote_addr or var.remote_addr
end

-- Returns the Host header. Over HTTP/3, nginx does not set $http_host from :authority. Newer lua-nginx-modules then
-- return $host for it. For older ones, this function does.
function _M.sent_host()
    return var.http_host or (ngx.req.http_version() == 3 and var.host) or ""
end

local function are_same(host, other)
    local name = host_name(host)
    return host == other or name ~= "" and name == host_name(other)
end

-- Returns the host as sent. For an absolute target, nginx puts its host into $host and the Host header into $http_host.
-- When they differ, returns both, joined with a space. No name of a host contains a space, so no exception that names
-- hosts applies, and no pass of another request is valid.
function _M.host()
    local absolute, sent = match(var.request or "", "^%S+ +%a[%w+.-]*://([^/?#%s]*)"), _M.sent_host()
    if not absolute or are_same(absolute, sent) then
        return absolute or sent
    end
    return absolute .. " " .. sent
end

local readers = { headers_by_name = read_headers_by_name, headers = read_headers, body = read_body, ip = _M.peer, host = _M.host }

local lazy = {
    __index = function(request, field)
        local reader = readers[field]
        if reader then
            local value = reader(request)
            rawset(request, field, value)
            return value
        end
    end,
}

-- Returns the method that the client sent. nginx changes its method to GET after an error_page, which redirects
-- internally. Before that, its method costs less to read. A request line that nginx refused may lack a method.
local function sent_method()
    local line = is_internal() and var.request or ""
    local stop = find(line, " ", 1, true)
    return stop and sub(line, 1, stop - 1) or get_method()
end

-- Returns the method and the raw target as the client sent them. nginx changes $uri with each rewrite.
function _M.line()
    return sent_method(), var.request_uri or ""
end

-- Returns a request that reads its other fields on first use. It sets `unread` when the body could not be read.
function _M.new(method, target, max_body_bytes)
    local pause, start_turn = new_turns()
    return setmetatable({
        method = method,
        target = target,
        max_body_bytes = max_body_bytes,
        pause = pause,
        start_turn = start_turn,
    }, lazy)
end

return _M
