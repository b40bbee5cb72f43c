-- The guard in nginx:
--
--   init_by_lua_block { require("guard").init { block_patterns = { "^/internal/" } } }
--   rewrite_by_lua_block { require("guard").check() }

local block = require("guard.block")
local engine = require("guard.engine")
local events = require("guard.event")
local policies = require("guard.policy")
local regex = require("guard.regex")
local requests = require("guard.request")
local respond = require("guard.respond")

local evaluate = engine.evaluate
local traceback = debug.traceback

local _M = {}

local DEFAULT = ""
local guards = {}

-- Sets the policy of `check()` or, with a name, that of `check(name)`. For init_by_lua_block: a policy with anything
-- wrong in it raises an error that names each key, and nginx does not start.
function _M.init(policy, name)
    name = name or DEFAULT
    if type(name) ~= "string" then
        error("guard: the name of a policy is text", 2)
    elseif guards[name] then
        error("guard: there are two policies " .. (name == DEFAULT and "without a name" or "named " .. name), 2)
    end
    regex.prepare()
    local loaded = policies.load(policy, regex.find)
    guards[name] = {
        policy = loaded,
        compiled = engine.compile(loaded, regex.find),
        answer = respond.new(loaded),
        events = loaded.security_log and events.log(loaded.security_log_file) or nil,
    }
end

-- What a fault of the engine means: an enforcing guard refuses the request, never waves it through unseen.
local function fault(guard, trace)
    ngx.log(ngx.ERR, "guard: the engine failed: ", trace)
    if guard.policy.mode ~= "detect" then
        return ngx.exit(ngx.HTTP_INTERNAL_SERVER_ERROR)
    end
end

-- Judges the current request and answers it when it is blocked. For rewrite_by_lua_block, which nginx runs also where it
-- skips access hooks: under `satisfy any`, and where a location answers with `return`.
function _M.check(name)
    local guard = guards[name or DEFAULT]
    if not guard then
        error("guard: init() was not called with a policy " .. (name and "named " .. name or "without a name"), 2)
    elseif ngx.is_subrequest then
        return -- of a request that was judged
    end
    local request = requests.new(guard.policy.max_body_bytes)
    local ok, verdict = xpcall(evaluate, traceback, guard.compiled, request)
    if not ok then
        return fault(guard, verdict)
    elseif verdict.blocked then
        return block(guard, request, verdict)
    end
end

return _M
