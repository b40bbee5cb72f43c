-- Bounds the verifications of each network in a span of time, so that no client can use up the provider's quota.

local limits = require("guard.tables").limits
local process_secret = require("guard.respond.process_secret")

local floor = math.floor

local shared = ngx.shared.guard
local own, own_span, own_networks = {}, nil, 0

-- Counts in this worker. The number of counted networks is bounded; further networks get no verification.
local function count_own(network, span)
    if span ~= own_span then
        own, own_span, own_networks = {}, span, 0
    end
    local count = own[network]
    if not count then
        if own_networks >= limits.captcha_networks then
            return nil
        end
        own_networks = own_networks + 1
    end
    own[network] = (count or 0) + 1
    return own[network]
end

-- Counts in the shared dictionary. A full dictionary evicts the least recently used entry.
local function count_shared(network, span)
    process_secret.keep()
    return shared:incr("spent:" .. network .. "@" .. span, 1, 0, limits.captcha_span_seconds)
end

-- Counts a verification of a network and returns whether it is within the budget.
return function(network)
    local span = floor(ngx.time() / limits.captcha_span_seconds)
    local count = (shared and count_shared or count_own)(network, span)
    return count ~= nil and count <= limits.captcha_verifications
end
