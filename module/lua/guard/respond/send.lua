-- Writes heads of responses, and whole responses with a complete body.

local modes = require("guard.policy.tables").modes
local texts = require("guard.texts")

local ipairs, pairs, pcall, tostring = ipairs, pairs, pcall, tostring
local gsub, upper, lower = string.gsub, string.upper, string.lower

local _M = {}

-- Returns a header name in the spelling of the other proxies: "x-frame-OPTIONS" becomes "X-Frame-Options".
function _M.canonical(name)
    return (gsub(lower(name), "%f[^%-%z]%l", upper))
end

-- Returns the headers of the policy by canonical name.
function _M.headers_of(response)
    local headers = {}
    for name, value in pairs(response.headers or {}) do
        headers[_M.canonical(name)] = value
    end
    return headers
end

-- Returns the status as text: "403 Forbidden".
function _M.status_line(status)
    return tostring(status) .. " " .. (texts.status_names[status] or texts.unnamed_status)
end

-- Returns the reference that the response shows, or nil when the mode shows no reference or the event has no line.
local function shown_reference(options, blocked)
    local mode = modes[options.response.mode]
    return mode and mode.shows_reference and blocked and blocked.reference
end

-- Returns the part of a page that has the reference: `note` with the reference, or "" without one.
function _M.note(options, note, blocked)
    local reference = shown_reference(options, blocked)
    return reference and (gsub(note, "%[%[reference%]%]", reference)) or ""
end

-- Conditional headers (RFC 9110 13.1). nginx applies them to every response with status 200.
local CONDITIONS = { "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since" }

-- Removes conditional headers. With them, nginx could send its 304 or 412 instead, and not release the slot of a held
-- request.
function _M.remove_conditions()
    for _, name in ipairs(CONDITIONS) do
        ngx.req.clear_header(name)
    end
end

-- Sets status and headers. Headers of the mode override those of the policy.
local function set_head(options, content_type, length)
    _M.remove_conditions()
    ngx.status = options.response.status_code
    ngx.header["Content-Type"] = nil -- otherwise nginx would send default_type
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

-- Sends the head before a body in pieces: nginx would otherwise buffer a whole HTTP/1.0 response. Returns whether the
-- caller sends a body.
function _M.send_head(options, content_type, length)
    set_head(options, content_type, length)
    return ngx.send_headers() and ngx.req.get_method() ~= "HEAD"
end

-- Discards the body of the request. Clears Expect first, so that the client sends no body after 100 Continue. Returns
-- false when the body is malformed.
function _M.discard_body()
    ngx.req.clear_header("Expect")
    return (pcall(ngx.req.discard_body))
end

-- Writes a response and ends the request. HEAD gets the same headers and no body (RFC 9110 9.3.2).
local function write_response(options, content_type, body, reference)
    set_head(options, content_type, #body)
    if reference then
        ngx.header[texts.reference.header] = reference
    end
    if #body == 0 or ngx.req.get_method() == "HEAD" then
        ngx.send_headers()
    else
        ngx.print(body)
    end
    return ngx.exit(ngx.HTTP_OK)
end

-- Responds with the status as text, independent of the policy. The guard writes this response itself: after
-- ngx.exit(status) nginx runs `error_page`, which may forward the request to a backend without inspection. Closes the
-- connection when a head was already sent.
function _M.refuse(status)
    if ngx.headers_sent then
        return ngx.exit(ngx.ERROR)
    end
    local headers = {}
    for name, value in pairs(texts.text_headers) do
        headers[name] = value
    end
    if (ngx.req.http_version() or 1) < 2 then
        headers["Connection"] = "close"
    end
    local options = { response = { status_code = status }, headers = headers }
    return write_response(options, "text/plain; charset=utf-8", _M.status_line(status) .. "\n")
end

-- Writes a whole response and ends the request. `blocked` is the argument of the responder, or nil.
function _M.send_response(options, content_type, body, blocked)
    if not _M.discard_body() then
        return _M.refuse(ngx.HTTP_BAD_REQUEST)
    end
    return write_response(options, content_type, body, shown_reference(options, blocked))
end

return _M
