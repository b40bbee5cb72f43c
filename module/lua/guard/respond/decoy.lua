-- Mode fake_success responds as if the requested file existed.

local hmac = require("guard.hmac")
local process_secret = require("guard.respond.process_secret")
local requests = require("guard.request")
local send = require("guard.respond.send")
local texts = require("guard.texts")

local ipairs, tonumber = ipairs, tonumber
local byte, char, concat = string.byte, string.char, table.concat
local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub

local HTML = "^text/html"
local PLAIN = "text/plain; charset=utf-8"
local MAX_HOST_BYTES = 253 -- maximum bytes of a name in text form, RFC 1035 2.3.4

-- Returns the host of the request if it has only characters of names, addresses and ports, otherwise "localhost".
local function plain_host(host)
    if host == "" or #host > MAX_HOST_BYTES or find(host, "[^%w.:%[%]-]") then
        return "localhost"
    end
    return host
end

-- Escapes values of the request for HTML. Decoys of other types contain no values that could be markup.
local function escape(content_type, value)
    return find(content_type, HTML) and gsub(value, "[&<>\"']", texts.html_escapes) or value
end

-- Returns HMAC-SHA-256 over the parts, each ended by a zero byte, and the block number as four bytes.
local function digest(secret, address, label, block)
    local number = char(0, 0, math.floor(block / 256), block % 256)
    return hmac.sha256(secret, "decoy\0" .. address .. "\0" .. label .. "\0" .. number)
end

-- Returns `n` characters of an alphabet. Without the secret they look random. They depend only on the secret, the
-- client's address and the label. To find the client that received a leaked value, compute it for the addresses in the
-- event log.
local function derive(secret, address, label, alphabet, n)
    local characters = texts.alphabets[alphabet]
    local out, block = {}, 0
    while #out < n do
        local bytes = digest(secret, address, label, block)
        for i = 1, #bytes do
            local at = byte(bytes, i) % #characters + 1
            out[#out + 1] = sub(characters, at, at)
        end
        block = block + 1
    end
    return concat(out, "", 1, n)
end

local function expand_placeholders(decoy, secret, blocked)
    local own = { host = plain_host(requests.sent_host()), address = blocked.client or "", path = blocked.path }
    return (gsub(decoy.text, "%[%[([^%[%]]+)%]%]", function(inner)
        local alphabet, length, label = match(inner, "^(%w+):(%d+):([%w-]+)$")
        if alphabet then
            return derive(secret, own.address, label, alphabet, tonumber(length))
        end
        return own[inner] and escape(decoy.content_type, own[inner])
    end))
end

local function decoy_for(path)
    for _, decoy in ipairs(texts.decoys) do
        if ngx.re.find(path, decoy.match, "jo") then
            return decoy
        end
    end
end

-- Returns the responder. It sends the body of the policy or, without one, the first decoy that matches the path.
return function(options)
    local response = options.response
    if response.body then
        return function() return send.send_response(options, response.content_type or PLAIN, response.body) end
    end
    local secret = options.secret or process_secret.get()
    return function(blocked)
        local decoy = decoy_for(blocked.path)
        return send.send_response(options, response.content_type or decoy.content_type,
            expand_placeholders(decoy, secret, blocked))
    end
end
