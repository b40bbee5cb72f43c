-- Evaluates a request to a verdict: the engine of engine/ in Lua.
--
-- A request is a table: method, target (raw), rewritten (the target after a rewrite, or nil), headers (list of {name,
-- value}), body, ip, host, pause, and excused: the ids of block rules that are off for it, as keys. The engine reads a
-- field only when it needs it, the body last. The engine calls `pause` between steps of at most a few milliseconds. A
-- verdict is a table: blocked, reason, target, candidate, rule (id), pattern; with reason limit_body also `body`:
-- overflow, values, bytes.

local bytes = require("guard.engine.bytes")
local client_address = require("guard.engine.client_address")
local exceptions = require("guard.engine.exceptions")
local exploits = require("guard.engine.exploits")
local is_script_before = require("guard.engine.path_readings").is_script_before
local header_index = require("guard.engine.header_index")
local header_rules = require("guard.engine.header_rules")
local headers = require("guard.engine.headers")
local bodies = require("guard.engine.body")
local new_matcher = require("guard.engine.matcher")
local new_target_prefilter = require("guard.engine.target_prefilter")
local networks = require("guard.engine.networks")
local query = require("guard.engine.query")
local rules = require("guard.engine.rules")
local split = require("guard.engine.split")
local view = require("guard.engine.view")
local limits = require("guard.tables").limits

local byte, first_of, sub, upper = string.byte, string.find, string.sub, string.upper
local SLASH = 0x2F
local slashes = bytes.set("/")

local _M = {}

local function no_pause() end

-- Returns the networks of each exception that has clients, by its index.
local function clients_of_exceptions(list)
    local found = {}
    for i, exception in ipairs(list) do
        found[i] = exception.clients[1] and networks.new(exception.clients)
    end
    return found
end

-- Compiles a resolved policy to the state for `evaluate`. `find(subject, pattern)` is the regex engine. The result has
-- `passes_prefilter(method, target)`, a fast check that allows most targets, without headers and body.
function _M.compile(policy, find)
    local all = rules.of(policy)
    local methods = {}
    for _, method in ipairs(policy.methods) do
        methods[upper(method)] = true
    end
    local matchers, filters = {}, {}
    for _, kind in ipairs({ "path", "query", "body", exploits.WHOLE_QUERY }) do
        matchers[kind], filters[kind] = new_matcher(all, kind, find)
    end
    local lines, line_filters = header_rules.targets_of(all), {}
    for i, target in ipairs(lines) do
        matchers[target] = new_matcher(all, target, find)
        line_filters[i] = header_rules.new_filter(all, target)
    end
    local exploited = exploits.methods_of(all)
    return {
        policy = policy,
        find = find,
        methods = methods,
        exploited = exploited,
        lines = lines,
        line_filters = line_filters,
        allowed_ips = networks.new(policy.allowed_ips),
        trusted_proxies = networks.new(policy.trusted_proxies),
        exception_clients = clients_of_exceptions(policy.exceptions),
        matchers = matchers,
        body_filter = exploits.new_body_filter(all),
        passes_prefilter = new_target_prefilter(policy, methods, exploited, matchers, filters),
        passes_body_prefilter = bodies.new_prefilter(filters.body, matchers.body),
    }
end

local function allow_verdict(reason, rule)
    return { blocked = false, reason = reason, rule = rule and rule.id, pattern = rule and rule.pattern }
end

-- Returns the reason why a request is allowed without inspection, or nil.
local function bypass_reason(compiled, request)
    if not compiled.policy.enabled then
        return "disabled"
    elseif not compiled.methods["*"] and not compiled.methods[upper(request.method)] then
        return "method_not_inspected"
    elseif #compiled.allowed_ips > 0 then
        local client = client_address.find(request, compiled.trusted_proxies)
        return client and networks.contain(compiled.allowed_ips, client) and "allowed_ip" or nil
    end
end

-- Returns the index of the slash after the first script from index `from` on, or nil. Servers find no other file in
-- front of path info, and /oslo.config/ is a folder of a package index.
local function file_end(path, from)
    repeat
        local start, stop = first_of(path, "%.[^./]+/", from)
        if not start or is_script_before(path, stop) then
            return stop
        end
        from = stop
    until false
end

-- Returns the readings of servers that ignore the end of a candidate: /dump.sql for /dump.sql/ (Flask, Tornado), and
-- /shell.php for /shell.php/x, where /x is the path info. These readings can only block.
local function shorter_readings(candidate, kind)
    local readings = {}
    local bare = byte(candidate, #candidate) == SLASH and bytes.strip_end(candidate, slashes) or candidate
    if bare ~= candidate and bare ~= "" then
        readings[1] = bare
    end
    local file = kind == "path" and file_end(bare, 1)
    for _ = 1, limits.path_info_files do
        if not file then
            break
        end
        readings[#readings + 1] = sub(bare, 1, file - 1)
        file = file_end(bare, file)
    end
    return readings
end

-- Creates an inspection. An allow rule excuses only the candidate that it matches. No rule excuses a limit.
-- `state.is_custom_allowed` is true while custom rules have excused every candidate.
local function new_inspection(compiled, request, pause, only_exploits)
    local state = {}
    local is_met = exploits.new_is_met(compiled, request, state, only_exploits, pause)
    local function inspect(name, kind, candidates, limit)
        local matcher = compiled.matchers[kind]
        for _, candidate in ipairs(candidates) do
            pause()
            local rule, failed = matcher(candidate, state.is_off, pause, is_met)
            state.is_custom_allowed = state.is_custom_allowed and rule ~= nil and rule.is_custom
            local has_shorter = not rule and not failed and not header_rules.is_target(kind)
            for _, reading in ipairs(has_shorter and shorter_readings(candidate, kind) or {}) do
                rule, failed = matcher(reading, state.is_off, pause, is_met)
                rule = rule and rule.action == "block" and rule or nil
                if rule or failed then
                    candidate = reading
                    break
                end
            end
            if failed then
                return { blocked = true, reason = "limit_regex", target = name }
            elseif rule and rule.action == "block" then
                return { blocked = true, reason = "block_pattern_match", target = name,
                    candidate = candidate, rule = rule.id, pattern = rule.pattern }
            end
            state.excused_by = state.excused_by or rule
        end
        return limit and not only_exploits and { blocked = true, reason = limit, target = name } or nil
    end
    -- Calls `visit` with the state. While it runs, exceptions and custom allow rules apply by `paths`.
    local function within(paths, visit)
        local is_off, was_allowed, depth = state.is_off, state.is_custom_allowed, state.depth or 0
        state.depth = depth + 1
        state.is_off = exceptions(compiled, request, paths)
        state.is_custom_allowed = true
        local verdict = visit(state)
        state.is_off, state.is_custom_allowed, state.depth = is_off, was_allowed, depth
        return verdict
    end
    return { inspect = inspect, within = within }
end

local function path_of(target, budget)
    local path, rest = split(target)
    local candidates, limit = view(path, limits.path_bytes, budget, true)
    return { candidates = candidates, limit = limit, query = rest }
end

-- Returns the paths of the raw target, of its part before a byte 0x85 or 0xA0, and of the target after a rewrite.
-- These bytes end the target in Python servers, because str.split treats them as white space.
local function paths_of(request, budget)
    local target = request.target
    local paths = { path_of(target, budget) }
    local white_space = first_of(target, "[\133\160]")
    if white_space then
        paths[2] = path_of(sub(target, 1, white_space - 1), budget)
    end
    if request.rewritten then
        paths[#paths + 1] = path_of(request.rewritten, budget)
    end
    return paths
end

local function inspect_queries(paths, budget, inspect)
    for _, path in ipairs(paths) do
        local verdict = path.query and query.inspect("query", path.query, budget, { pairs = 0 }, inspect)
        if verdict then
            return verdict
        end
    end
end

-- Inspects query, headers of rules, other headers and body, where the policy inspects them. When custom allow rules excused all paths, inspects
-- only headers that can carry another path.
local function inspect_others(compiled, request, paths, budget, inspection, is_excused)
    local policy, inspect, verdict = compiled.policy, inspection.inspect, nil
    if policy.check_query and not is_excused then
        verdict = inspect_queries(paths, budget, inspect)
    end
    if not verdict and compiled.lines[1] and not is_excused then
        verdict = header_rules.inspect(compiled.lines, request.headers, inspect, budget.pause)
    end
    if not verdict and policy.check_headers[1] then
        verdict = headers.inspect(policy, request.headers, budget, inspection, is_excused)
    end
    if not verdict and policy.check_body and not is_excused then
        header_index.of(request.headers, budget.pause)
        verdict = bodies.inspect(request, policy, compiled.passes_body_prefilter, inspect, budget.pause)
    end
    return verdict
end

-- Whether exploits have the method of a request, whose client is not in allowed_ips.
local function is_exploitable(compiled, request)
    if not compiled.exploited[upper(request.method)] then
        return false
    end
    local client = #compiled.allowed_ips > 0 and client_address.find(request, compiled.trusted_proxies)
    return not (client and networks.contain(compiled.allowed_ips, client))
end

-- Returns the verdict and the paths.
function _M.evaluate(compiled, request)
    local reason = bypass_reason(compiled, request)
    local only_exploits = reason == "method_not_inspected" and is_exploitable(compiled, request)
    if reason and not only_exploits then
        return allow_verdict(reason), {}
    end
    local budget = { used = 0, pause = request.pause or no_pause }
    local paths, excused_by = paths_of(request, budget), nil
    local inspection = new_inspection(compiled, request, budget.pause, only_exploits)
    local verdict = inspection.within(paths, function(state)
        for _, path in ipairs(paths) do
            local blocked = inspection.inspect("path", "path", path.candidates, path.limit)
            if blocked then
                return blocked
            end
        end
        local is_excused = state.is_custom_allowed
        local blocked = not is_excused and exploits.inspect(compiled, request, inspection.inspect)
        if not blocked and only_exploits and not is_excused then
            blocked = header_rules.inspect(compiled.lines, request.headers, inspection.inspect, budget.pause)
        elseif not blocked and not only_exploits then
            blocked = inspect_others(compiled, request, paths, budget, inspection, is_excused)
        end
        excused_by = state.excused_by
        return blocked
    end)
    if not verdict and only_exploits then
        return allow_verdict(reason), {}
    end
    return verdict or allow_verdict(excused_by and "allow_pattern_match" or "no_match", excused_by), paths
end

return _M
