-- Runs the vectors of mode captcha (conformance/vectors/captcha-*.json) through the Lua responders, inside nginx.
-- Returns a line for each failure, and the number of tests.

local cjson = require("cjson")
local json = require("guard.json")
local providers = require("guard.captcha_texts").providers
local sign = require("guard.respond.captcha.sign")
local visits = require("guard.respond.captcha.visit")
local conditions = require("guard.respond.captcha.conditions")

local function challenge_text(challenge, is_fresh)
    return ("%s %s %s"):format(challenge.rule, challenge.target, tostring(is_fresh))
end

-- Returns the captcha of a group, with the passMinutes of the test if it has them.
local function captcha_of(group, test)
    local captcha = group.captcha
    return {
        provider = captcha.provider, site_key = captcha.siteKey, pass_minutes = test.passMinutes or captcha.passMinutes,
        verify_url = captcha.verifyUrl, hostnames = captcha.hostnames, action = captcha.action,
        min_score_percent = captcha.minScorePercent,
    }
end

-- Returns the expected and the actual result of a test. The fields of the test determine which of the six kinds it is.
local function outcome(group, test)
    local captcha = captcha_of(group, test)
    if test.answer then
        local answer, provider = json(test.answer), providers[captcha.provider]
        local meets_conditions = conditions.is_host(captcha, provider, answer, test.host)
            and conditions.is_action(captcha, answer)
        return test.solved, answer.success == true and meets_conditions
    end
    local signer = sign.new(group.secret, captcha)
    if test.of then
        return test.rule, sign.rule(test.of.id, test.of.pattern)
    end
    local visit = visits.new(test.client, test.host)
    if test.target then
        local challenge = { rule = test.rule, target = visits.return_path(test.target) }
        return test.state, signer:seal(test.now, visit, challenge)
    elseif test.opens then
        return challenge_text(test.opens, test.opens.fresh), challenge_text(signer:open(test.state, test.now, visit))
    elseif test.excuses ~= nil then
        return test.excuses, signer:excuses(test.cookie, test.now, visit, test.rule)
    end
    return test.cookie, signer:pass_name(test.rule) .. "=" .. signer:pass(test.now, visit, test.rule)
end

return function(path)
    local file = assert(io.open(path, "rb"))
    local groups = cjson.decode(file:read("*a"))
    file:close()
    local failures, count = {}, 0
    for _, group in ipairs(groups) do
        for _, test in ipairs(group.tests) do
            local expected, got = outcome(group, test)
            count = count + 1
            if expected ~= got then
                failures[#failures + 1] = ("%s (%s): expected %s, got %s\n"):format(test.id, test.description,
                    tostring(expected), tostring(got))
            end
        end
    end
    return table.concat(failures), count
end
