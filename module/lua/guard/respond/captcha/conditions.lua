-- Checks whether a challenge was solved on the host, for the action and with the score that the policy requires.

local ipairs, type = ipairs, type
local lower = string.lower

local _M = {}

local function has(list, text)
    for _, item in ipairs(list) do
        if lower(item) == text then
            return true
        end
    end
    return false
end

-- Whether the challenge was solved on an accepted host. Without hosts in the policy, that is the host of the request,
-- or any host when the provider sends no meaningful one.
function _M.is_host(captcha, provider, answer, host)
    local name = type(answer.hostname) == "string" and lower(answer.hostname) or ""
    if #(captcha.hostnames or {}) > 0 then
        return has(captcha.hostnames, name)
    end
    return not provider.compares_host or has(provider.test_keys, lower(captcha.site_key)) or name == "" or name == host
end

-- Whether the action and the score in the provider's response satisfy the policy.
function _M.is_action(captcha, answer)
    local least = captcha.min_score_percent
    return (not captcha.action or answer.action == captcha.action)
        and (not least or type(answer.score) == "number" and answer.score >= least / 100)
end

return _M
