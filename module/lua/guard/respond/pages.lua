-- Modes json, html, text, xml and ratelimit send the body of the policy, or the page of the mode.

local send = require("guard.respond.send")
local texts = require("guard.texts")

local pairs, tostring = pairs, tostring
local gsub = string.gsub

local _M = {}

-- Creates a mode with a page. The page never contains the rule, so that a scanner does not learn which rule to evade.
local function body_mode(name)
    local page, note = texts.pages[name], texts.reference_notes[name]
    return function(options)
        local response = options.response
        local status = send.status_line(response.status_code)
        return function(blocked)
            local values = { reason = blocked.reason, status = status, reference = send.note(options, note, blocked) }
            local body = response.body or (gsub(page, "%[%[(%l+)%]%]", values))
            return send.send_response(options, response.content_type, body, blocked)
        end
    end
end

_M.json = body_mode("json")
_M.html = body_mode("html")
_M.xml = body_mode("xml")

local text_page = body_mode("text")

-- Returns a responder that sends text. A header forbids sniffing, because a browser could otherwise interpret the text
-- as HTML.
function _M.text(options)
    for name, value in pairs(texts.text_headers) do
        options.headers[name] = value
    end
    return text_page(options)
end

local PLAIN = "text/plain; charset=utf-8"

-- Returns a responder that sends a status as text, for any mode, with the headers of the policy and then `headers`.
function _M.plain(response, status, headers)
    local own = send.headers_of(response)
    for name, value in pairs(headers or {}) do
        own[name] = value
    end
    return _M.text({ response = { mode = response.mode, status_code = status, content_type = PLAIN }, headers = own })
end

-- Returns a responder like that of mode text, with Retry-After (RFC 9110 10.2.3, RFC 6585 4).
function _M.ratelimit(options)
    options.headers["Retry-After"] = tostring(options.response.retry_after_seconds)
    return _M.text(options)
end

return _M
