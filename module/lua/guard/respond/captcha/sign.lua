-- Signs the states and passes that visitors send back. A state is a field of the challenge page with the blocked rule
-- and target. A pass is a cookie that excuses one rule.

local hmac = require("guard.hmac")
local limits = require("guard.tables").limits
local texts = require("guard.captcha_texts")

local concat = table.concat
local byte, find, format, gmatch, gsub, match, sub = string.byte, string.find, string.format, string.gmatch, string.gsub,
    string.match, string.sub
local tonumber = tonumber

local _M = {}

local methods = {}
methods.__index = methods

local STATE_FIELDS = 6
local NAME_BYTES = 8 -- bytes of the hash in the name of a cookie

local function base64url(bytes)
    return (gsub(ngx.encode_base64(bytes, true), "[+/]", { ["+"] = "-", ["/"] = "_" }))
end

-- Decodes base64url without padding. Returns nil for another text.
local function from_base64url(text)
    if find(text, "[^%w_-]") then
        return nil
    end
    return ngx.decode_base64((gsub(text, "[_-]", { ["-"] = "+", ["_"] = "/" })))
end

-- Returns the text before the first dot and the text after it. Without a dot, returns the whole text and "".
local function cut_at_dot(text)
    local dot = find(text, ".", 1, true)
    return sub(text, 1, (dot or #text + 1) - 1), dot and sub(text, dot + 1) or ""
end

-- Whether an expiry is in the future, but not later than the expiry of a new state or pass. Tolerates clocks that
-- differ by limits.captcha_clock_seconds.
local function is_valid_expiry(expiry, now, validity)
    local at = find(expiry, "^%d+$") and tonumber(expiry)
    return at and now < at and at <= now + validity + limits.captcha_clock_seconds or false
end

local function hex(bytes)
    return (gsub(bytes, ".", function(c) return format("%02x", byte(c)) end))
end

-- Identifies a rule by id and pattern, because block[0] is another rule after a change. It is "" for a limit.
function _M.rule(id, pattern)
    return (id or "") == "" and "" or id .. " " .. hex(hmac.digest(pattern))
end

-- Creates a signer. Its key depends on the secret and on all settings that decide how a challenge is solved.
function _M.new(secret, captcha)
    local conditions = {
        texts.providers[captcha.provider].name, captcha.site_key, format("%d", captcha.pass_minutes), captcha.verify_url or "",
        concat(captcha.hostnames or {}, ","), captcha.action or "", format("%d", captcha.min_score_percent or 0),
    }
    return setmetatable({
        key = hmac.sha256(secret, texts.policy_label .. concat(conditions, "\0")),
        pass_seconds = captcha.pass_minutes * 60,
    }, methods)
end

-- Signs a text. `label` separates the purposes of signatures.
local function mac(key, label, text)
    return base64url(hmac.sha256(key, label .. text))
end

-- Returns the state of a page, bound to the visitor and to a time. A challenge is {rule =, target =}.
function methods:seal(now, visit, challenge)
    local expiry = format("%d", now + limits.captcha_state_seconds)
    local fields = { texts.state_version, expiry, visit.network, visit.host, challenge.rule, challenge.target }
    local payload = concat(fields, "\n")
    return base64url(payload) .. "." .. mac(self.key, texts.state_label, payload)
end

-- Returns the challenge in a state of this visitor, and whether it is fresh. An expired state still returns its
-- challenge.
function methods:open(state, now, visit)
    local encoded, signature = cut_at_dot(state)
    local payload = from_base64url(encoded)
    local fields = {}
    if payload and hmac.equal(signature, mac(self.key, texts.state_label, payload)) then
        for field in gmatch(payload .. "\n", "([^\n]*)\n") do
            fields[#fields + 1] = field
        end
    end
    if #fields ~= STATE_FIELDS or fields[1] ~= texts.state_version or fields[3] ~= visit.network
        or fields[4] ~= visit.host then
        return { rule = "", target = "/" }, false
    end
    return { rule = fields[5], target = fields[6] }, is_valid_expiry(fields[2], now, limits.captcha_state_seconds)
end

-- Returns the name of the cookie with the pass for a rule. Signers with different keys use different names.
function methods:pass_name(rule)
    return texts.cookie_prefix .. hex(sub(hmac.sha256(self.key, texts.name_label .. rule), 1, NAME_BYTES))
end

local function pass_mac(key, expiry, visit, rule)
    return mac(key, texts.pass_label, concat({ expiry, visit.network, visit.host, rule }, "\n"))
end

function methods:pass(now, visit, rule)
    local expiry = format("%d", now + self.pass_seconds)
    return expiry .. "." .. pass_mac(self.key, expiry, visit, rule)
end

local function cookie_named(name, header)
    for pair in gmatch(header, "[^;]+") do
        local value = match(pair, "^%s*" .. name .. "=(.-)%s*$")
        if value then
            return value
        end
    end
end

-- Whether a Cookie header has a pass of this visitor for the rule. A limit has no rule, so no pass excuses it.
function methods:excuses(header, now, visit, rule)
    if not rule or rule == "" then
        return false
    end
    local value = cookie_named(self:pass_name(rule), header)
    if not value then
        return false
    end
    local expiry, signature = cut_at_dot(value)
    return hmac.equal(signature, pass_mac(self.key, expiry, visit, rule)) and is_valid_expiry(expiry, now, self.pass_seconds)
end

return _M
