-- Writes answers: the head of every blocked answer, and whole answers whose body is known.

local texts = require("guard.texts")

local pairs, pcall, tostring = pairs, pcall, tostring
local gsub, upper, lower = string.gsub, string.upper, string.lower

local _M = {}

-- A header's name as the other proxies write it: "x-frame-OPTIONS" is "X-Frame-Options".
function _M.canonical(name)
    return (gsub(lower(name), "%f[^%-%z]%l", upper))
end

-- The headers of a policy's answers: its own, by canonical name.
function _M.headers_of(response)
    local headers = {}
    for name, value in pairs(response.headers or {}) do
        headers[_M.canonical(name)] = value
    end
    return headers
end

-- The status as people read it: "403 Forbidden".
function _M.status_line(status)
    return tostring(status) .. " " .. (texts.status_names[status] or texts.unnamed_status)
end

-- Sets status and headers. What the mode itself sets wins over the headers of the policy.
local function set_head(options, content_type, length)
    ngx.status = options.response.status_code
    ngx.header["Content-Type"] = nil -- not nginx's default_type
    for name, value in pairs(options.headers) do
        ngx.header[name] = value
    end
    for name, value in pairs(texts.blocked_headers) do
        ngx.header[name] = value
    end
    if content_type then
        ngx.header["Content-Type"] = content_type
    end
    ngx.header["Content-Length"] = length
end

-- Sends the head of an answer that is written bit by bit: whether there is a body to write. The head goes first because
-- nginx would keep a whole answer to HTTP/1.0 in memory.
function _M.open(options, content_type, length)
    set_head(options, content_type, length)
    return ngx.send_headers() and ngx.req.get_method() ~= "HEAD"
end

-- Writes a whole answer and ends the request; HEAD gets the same headers and no body (RFC 9110 9.3.2).
function _M.whole(options, content_type, body)
    if not pcall(ngx.req.discard_body) then -- so that the connection can go on
        return ngx.exit(ngx.HTTP_BAD_REQUEST) -- behind a malformed body it cannot; nginx closes it
    end
    set_head(options, content_type, #body)
    if #body == 0 or ngx.req.get_method() == "HEAD" then
        ngx.send_headers()
    else
        ngx.print(body)
    end
    return ngx.exit(ngx.HTTP_OK)
end

return _M
