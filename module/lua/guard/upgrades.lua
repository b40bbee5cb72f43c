-- Removes protocols from a request to which its connection must not switch. nginx itself refuses CONNECT.

local client_address = require("guard.engine.client_address")
local escape = require("guard.engine.bytes").escape
local networks = require("guard.engine.networks")
local requests = require("guard.request")
local upgrades = require("guard.engine.upgrades")

local var = ngx.var
local get_headers, set_header = ngx.req.get_headers, ngx.req.set_header

-- With a bound, get_headers would omit further headers. nginx bounds their bytes.
local ALL_HEADERS = 0

local is_noted = false

-- Logs the first protocol in this process only, because every client can send such requests. nginx shows this level by
-- default.
local function note(refused, outcome)
    if not is_noted then
        is_noted = true
        ngx.log(ngx.ERR, "guard: the protocol ", escape(refused), " ", outcome,
            " a request: allow_upgrades does not have it. Further ones are not logged")
    end
end

local function is_exempt(compiled)
    if #compiled.allowed_ips == 0 then
        return false
    end
    local client = client_address.find(requests.new(requests.line()), compiled.trusted_proxies)
    return client and networks.contain(compiled.allowed_ips, client)
end

local function remove(headers, allowed)
    local upgrade, connection, keeps_settings = upgrades.kept(headers.upgrade, headers.connection, allowed)
    set_header("Upgrade", upgrade)
    set_header("Connection", connection)
    if not keeps_settings then
        set_header("HTTP2-Settings", nil)
    end
end

-- Returns a function that removes the protocols that a policy does not allow from the current request. In mode detect
-- it only counts them.
return function(policy, compiled, count)
    if not policy.enabled then
        return function() end
    end
    local allowed, detects = upgrades.set(policy.allow_upgrades), policy.mode == "detect"
    return function()
        if not var.http_upgrade then
            return
        end
        local headers = get_headers(ALL_HEADERS)
        local refused = upgrades.refused(headers.upgrade, allowed)
        if not refused or is_exempt(compiled) then
            return
        end
        count()
        note(refused, detects and "would be removed from" or "was removed from")
        if not detects then
            remove(headers, allowed)
        end
    end
end
