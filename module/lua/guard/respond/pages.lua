-- Modes json, html, text, xml and ratelimit send the body of the policy, or the page of the mode.

local send = require("guard.respond.send")
local texts = require("guard.texts")

local pairs, tostring = pairs, tostring
local gsub = string.gsub

local _M = {}

-- Responds with the page. It contains at most the reason and never the rule, so that a scanner does not learn which
-- rule to evade.
local function body_mode(page)
    return function(options)
        local response = options.response
        local status = send.status_line(response.status_code)
        return function(blocked)
            local values = { reason = blocked.reason, status = status }
            return send.whole(options, response.content_type, response.body or (gsub(page, "%[%[(%l+)%]%]", values)))
        end
    end
end

_M.json = body_mode(texts.pages.json)
_M.html = body_mode(texts.pages.html)
_M.xml = body_mode(texts.pages.xml)

local text = body_mode(texts.pages.text)

-- Mode text. The header forbids sniffing, because a response that quotes a body of the policy must stay text.
function _M.text(options)
    for name, value in pairs(texts.text_headers) do
        options.headers[name] = value
    end
    return text(options)
end

local PLAIN = "text/plain; charset=utf-8"

-- Responds with a status as text, for any mode, with the policy's headers and further ones.
function _M.plain(response, status, headers)
    local own = send.headers_of(response)
    for name, value in pairs(headers or {}) do
        own[name] = value
    end
    return _M.text({ response = { status_code = status, content_type = PLAIN }, headers = own })
end

-- Responds like mode text, with Retry-After (RFC 9110 10.2.3, RFC 6585 4).
function _M.ratelimit(options)
    options.headers["Retry-After"] = tostring(options.response.retry_after_seconds)
    return _M.text(options)
end

return _M
