-- Replaces an absent secret.

local hmac = require("guard.hmac")

local SECRET_BYTES = 32
local KEY = "secret"
local secret

-- Random bytes, the same in all workers when first called in init_by_lua. With the shared dictionary `guard` they
-- survive a reload. A restart of nginx makes others.
return function()
    if secret then
        return secret
    end
    secret = hmac.random(SECRET_BYTES)
    local shared = ngx.shared.guard
    if shared and not shared:safe_add(KEY, secret) then
        secret = shared:get(KEY) or secret
    end
    return secret
end
