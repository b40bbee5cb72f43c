-- Checks of single texts, by key. Each returns a kind of problem and a message, or nothing. `find(subject, pattern)`
-- is the regex engine.

local address = require("guard.engine.address")
local pattern = require("guard.pattern")
local presets = require("guard.policy.presets")
local quoted = require("guard.policy.problems").quoted
local tables = require("guard.policy.tables")

local lower = string.lower

local _M = {}

local TOKEN = [=[^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\z]=] -- RFC 9110 5.6.2
local ENVIRONMENT = "^%${([%a_][%w_]*)}$"
-- Refuses user information, which disguises the host, and backslashes, which browsers read as slashes.
local WEB_URL = [=[^(?i:https?)://(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:[/?#][\x21-\x5b\x5d-\x7e]*)?\z]=]
local ROOT_RELATIVE = [=[^/(?:[\x21-\x2e\x30-\x5b\x5d-\x7e][\x21-\x5b\x5d-\x7e]*)?\z]=]
local LARGEST_PORT = 65535

-- Whether a text has C0 controls or DEL, which header values, paths and titles must not contain (RFC 9110 5.5).
function _M.has_control(text)
    return text:find("[%z\1-\31\127]") ~= nil
end

function _M.is_token(text, find)
    return find(text, TOKEN)
end

-- Returns the NAME of ${NAME}, or nil for another text.
function _M.environment_name(text)
    return text:match(ENVIRONMENT)
end

local function check_regex(text)
    local refusal = pattern.check(text)
    if refusal then
        return "bad_regex", ("%s (at offset %d)"):format(refusal.reason, refusal.offset)
    end
end

local function check_network(text)
    if not presets.find(text) and not address.parse_network(text) then
        return "bad_address", "expected an IPv4 or IPv6 address or CIDR, found " .. quoted(text)
    end
end

-- Refuses networks whose owner lets anyone send requests through them.
local function check_client_network(text)
    local preset = presets.find(text)
    if preset and preset.is_edge then
        return "bad_value", "every client behind " .. text .. " would be trusted: put it in trusted_proxies"
    end
    return check_network(text)
end

local function check_inspected_header(text, find)
    if not _M.is_token(text, find) then
        return "bad_value", "expected a header name (RFC 9110 token), found " .. quoted(text)
    elseif tables.connection_headers[lower(text)] then
        return "bad_value", text .. " cannot be inspected"
    end
end

local function check_rule_target(text)
    local name = text:match("^header:(.*)$")
    if name and tables.connection_headers[lower(name)] then
        return "bad_value", text .. " cannot be inspected"
    end
end

local function check_no_control(text)
    if _M.has_control(text) then
        return "bad_value", "expected a text without control characters, found " .. quoted(text)
    end
end

local function is_web_url(text, find)
    if not find(text, WEB_URL) then
        return false
    end
    local host = text:match("^%a+://(%b[])") or ""
    local port = text:match("^%a+://[^/?#]*:(%d+)$") or text:match("^%a+://[^/?#]*:(%d+)[/?#]")
    local is_host = host == "" or address.parse(host:sub(2, -2)) ~= nil
    return is_host and tonumber(port or 0) <= LARGEST_PORT
end

local function check_web_url(text, find)
    if not is_web_url(text, find) then
        return "bad_value", "expected an http:// or https:// URL, found " .. quoted(text)
    end
end

-- Accepts a URL, or a path with exactly one leading slash: //host and /\host lead to another host.
local function check_redirect_target(text, find)
    if not find(text, ROOT_RELATIVE) and not is_web_url(text, find) then
        return "bad_value", "expected http://, https:// or a path that starts with one slash, found " .. quoted(text)
    end
end

_M.checks = {
    ["security_log_file"] = check_no_control,
    ["block_patterns[]"] = check_regex,
    ["allow_patterns[]"] = check_regex,
    ["rules[].pattern"] = check_regex,
    ["rules[].targets[]"] = check_rule_target,
    ["exceptions[].path"] = check_regex,
    ["exceptions[].clients[]"] = check_client_network,
    ["allowed_ips[]"] = check_client_network,
    ["trusted_proxies[]"] = check_network,
    ["ban_list.file"] = check_no_control,
    ["check_headers[]"] = check_inspected_header,
    ["response.content_type"] = check_no_control,
    ["response.redirect_url"] = check_redirect_target,
    ["response.proxy_url"] = check_web_url,
    ["response.captcha.verify_url"] = check_web_url,
    ["ban_list.response.content_type"] = check_no_control,
    ["ban_list.response.redirect_url"] = check_redirect_target,
    ["ban_list.response.proxy_url"] = check_web_url,
}

-- Descriptions for messages, by the key whose value must match a regular expression of guard.policy.tables.
_M.names = {
    ["rules[].id"] = "lower-case words joined by - _ or .",
    ["rules[].targets[]"] = "path, query, body or header:<name>",
    ["exceptions[].hosts[]"] = "a host name, or *.suffix",
    ["applications[].hosts[]"] = "a host name, or *.suffix",
    ["applications[].base_path"] = "a path of letters, digits and . _ ~ -, such as /git",
    ["methods[]"] = 'an HTTP method, or "*" for all',
    ["allow_upgrades[]"] = "a protocol of an Upgrade header, such as websocket or SPDY/3.1",
    ["response.captcha.hostnames[]"] = "a host name",
    ["response.captcha.action"] = "letters, digits, _ or -",
}

-- Keys that may be a reference to an environment variable. Messages do not quote their values.
_M.secrets = { ["secret"] = true, ["response.captcha.secret_key"] = true }

return _M
