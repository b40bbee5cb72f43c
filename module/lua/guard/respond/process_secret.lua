-- Random bytes that serve as the secret when the policy has none.

local hmac = require("guard.hmac")

local _M = {}

local SECRET_BYTES = 32
local KEY = "secret"
local shared = ngx.shared.guard
local secret

-- Returns the secret. All workers have the same one if the first call is in init_by_lua. In a shared dictionary it
-- survives a reload.
function _M.get()
    if secret then
        return secret
    end
    secret = hmac.random(SECRET_BYTES)
    if shared and not shared:safe_add(KEY, secret) then
        secret = shared:get(KEY) or secret
    end
    return secret
end

-- Protects the secret from eviction by reading it: a full dictionary evicts the least recently used entry.
function _M.keep()
    if secret and shared then
        shared:get(KEY)
    end
end

return _M
