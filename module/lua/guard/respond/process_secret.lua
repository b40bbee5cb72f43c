-- Replaces an absent secret.

local hmac = require("guard.hmac")

local _M = {}

local SECRET_BYTES = 32
local KEY = "secret"
local shared = ngx.shared.guard
local secret

-- Random bytes, the same in all workers when first called in init_by_lua. With the shared dictionary `guard` they
-- survive a reload. A restart of nginx makes others.
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

-- A full dictionary evicts the entry that was not read or written for longest: this reads the secret.
function _M.keep()
    if secret and shared then
        shared:get(KEY)
    end
end

return _M
