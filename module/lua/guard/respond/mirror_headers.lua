-- Edits the headers of the request and the response in mode proxy. contract/policy/mirror.ts explains the rules.

local requests = require("guard.request")
local send = require("guard.respond.send")
local texts = require("guard.texts")

local find, gmatch, gsub, lower = string.find, string.gmatch, string.gsub, string.lower
local match, sub = string.match, string.sub
local ipairs, pairs, type = ipairs, pairs, type

local _M = {}

local mirror = texts.mirror
local WRITTEN_BY_GUARD = { host = true, ["content-length"] = true }

-- Returns a function of a header name in lower case. It returns whether the header is hop-by-hop, or `rows` of
-- stripped-headers.json strip it.
local function new_stripping(rows)
    local names, prefixes, words = {}, {}, {}
    for _, name in ipairs(mirror.hop_by_hop) do
        names[name] = true
    end
    for _, row in ipairs(rows) do
        local word, prefix = match(row, "^%*(.+)%*$"), match(row, "^(.+)%*$")
        if word then
            words[#words + 1] = "-" .. word
        elseif prefix then
            prefixes[#prefixes + 1] = prefix
        else
            names[row] = true
        end
    end
    return function(name)
        name = gsub(name, "_", "-")
        if names[name] then
            return true
        end
        for _, prefix in ipairs(prefixes) do
            if sub(name, 1, #prefix) == prefix then
                return true
            end
        end
        name = "-" .. name
        for _, word in ipairs(words) do
            if find(name, word, 1, true) then
                return true
            end
        end
        return false
    end
end

local is_stripped_from_request = new_stripping(mirror.request_stripped)
local is_stripped_from_answer = new_stripping(mirror.answer_stripped)

-- Adds the names in a value of Connection, which are hop-by-hop too.
local function add_named(set, value)
    for name in gmatch(lower(value), "[^,%s]+") do
        set[name] = true
    end
end

-- Returns the headers of the client's request as pairs of name and value, and the set of names in Connection.
local function client_headers()
    local list, named = {}, {}
    for name, values in pairs(ngx.req.get_headers(0, true)) do
        for _, value in ipairs(type(values) == "table" and values or { values }) do
            value = value == true and "" or value
            list[#list + 1] = { name, value }
            if lower(name) == "connection" then
                add_named(named, value)
            end
        end
    end
    return list, named
end

-- Returns the headers of the request to the target. `length` is the length of the body.
function _M.request(target, blocked, length)
    local list, named = client_headers()
    local headers = { { "Host", target.authority } }
    for _, header in ipairs(list) do
        local name = lower(header[1])
        if not (is_stripped_from_request(name) or named[name] or WRITTEN_BY_GUARD[name]) then
            headers[#headers + 1] = header
        end
    end
    for _, own in ipairs({
        { mirror.forwarded_for, blocked.client },
        { mirror.forwarded_host, requests.sent_host() },
        { mirror.forwarded_proto, ngx.var.scheme },
        { mirror.reason, blocked.reason },
        { mirror.loop_mark, mirror.loop_mark_value },
        { "content-length", (length > 0 or ngx.var.http_content_length) and length or nil },
        { "connection", "close" },
    }) do
        if own[2] then
            headers[#headers + 1] = { send.canonical(own[1]), own[2] }
        end
    end
    return headers
end

-- Removes scheme and host of a target in absolute form (RFC 9112 3.2.2).
local function origin_form(target)
    local rest = sub(target, 1, 1) ~= "/" and match(target, "://(.*)$")
    if not rest then
        return target
    end
    local at = find(rest, "[/?]")
    if not at then
        return "/"
    end
    return (sub(rest, at, at) == "?" and "/" or "") .. sub(rest, at)
end

-- Returns the raw target at the honeypot: the path of the policy's URL, then the unchanged path and query.
function _M.target(url, raw)
    return (match(url.path, "^(.-)/?$")) .. origin_form(raw)
end

-- Returns the headers of the response by name, each with its values. Headers of the policy override those of the
-- target, and texts.blocked_headers override both.
function _M.answer(options, head)
    local headers, named = {}, {}
    for _, header in ipairs(head.headers) do
        if lower(header[1]) == "connection" then
            add_named(named, header[2])
        end
    end
    for _, header in ipairs(head.headers) do
        local name = lower(header[1])
        -- nginx would replace _ by -. The name could then equal the name of a stripped header.
        if not (is_stripped_from_answer(name) or named[name] or find(name, "_", 1, true)) then
            name = send.canonical(name)
            headers[name] = headers[name] or {}
            headers[name][#headers[name] + 1] = header[2]
        end
    end
    headers["Content-Security-Policy"] = { mirror.content_security_policy }
    for _, own in ipairs({ options.headers, texts.blocked_headers }) do
        for name, value in pairs(own) do
            headers[name] = { value }
        end
    end
    return headers
end

return _M
