-- Compares a verification with what the policy wants: on which host, for which action, and with which score a challenge
-- was solved. A token for another site with the same keys, or one of a policy that wants less, is not enough.

local ipairs, type = ipairs, type
local lower = string.lower

local _M = {}

local function has(list, wanted)
    for _, item in ipairs(list) do
        if lower(item) == wanted then
            return true
        end
    end
    return false
end

-- Whether a success of the provider is for a host of the policy. Where it has none, a name that the provider sends is
-- that of the request, in lower case, unless the provider or the site key is one whose name says nothing.
function _M.is_host(captcha, provider, answer, host)
    local name = type(answer.hostname) == "string" and lower(answer.hostname) or ""
    if #(captcha.hostnames or {}) > 0 then
        return has(captcha.hostnames, name)
    end
    return not provider.compares_host or has(provider.test_keys, lower(captcha.site_key)) or name == "" or name == host
end

-- Whether its action and score are those of the policy.
function _M.is_action(captcha, answer)
    local least = captcha.min_score_percent
    return (not captcha.action or answer.action == captcha.action)
        and (not least or type(answer.score) == "number" and answer.score >= least / 100)
end

return _M
