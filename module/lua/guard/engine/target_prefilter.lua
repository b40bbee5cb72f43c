-- Allows nearly all targets in one pass: paths, keys and values that are plain and that no rule matches.

local exploits = require("guard.engine.exploits")
local read_path = require("guard.engine.skim").path
local value_prefilter = require("guard.engine.value_prefilter")
local limits = require("guard.tables").limits

local byte, sub = string.byte, string.sub
local are_pairs_clean, is_text_clean = value_prefilter.are_pairs_clean, value_prefilter.is_text_clean
local path_bytes, query_pairs = limits.path_bytes, limits.query_pairs

local SLASH = 0x2F

-- Whether the query after index `mark` has no more pairs than the limit, and all its values are clean
-- (value_prefilter.lua).
local function is_query_clean(filter, match, target, mark)
    local is_clean, count = are_pairs_clean(filter, match, target, mark + 1)
    return is_clean and count <= query_pairs
end

-- `exploited` has the methods of the rules about exploits. Returns a function of (method, target). It returns true only if a
-- policy that inspects only targets allows the request.
return function(policy, methods, exploited, matchers, filters)
    local path_filter, query_filter = filters.path, filters.query
    local checks_query, has_exploits = policy.check_query, next(exploited) ~= nil
    local whole_query = filters[exploits.WHOLE_QUERY].automaton
    return function(method, target)
        local is_inspected = methods[method] or methods["*"]
        if not (is_inspected or exploited[method]) or byte(target) ~= SLASH then
            return false
        end
        local stop, hits = read_path(path_filter.automaton, target)
        if not stop or stop > path_bytes then
            return false
        elseif checks_query and is_inspected and stop < #target
            and not is_query_clean(query_filter, matchers.query, target, stop + 1) then
            return false
        end
        if has_exploits and stop < #target and not exploits.is_query_clean(whole_query, target, stop + 2) then
            return false
        end
        if hits == 0 and not path_filter.has_rule_without_literal then
            return true
        end
        local path = sub(target, 1, stop)
        return is_text_clean(matchers.path, path)
    end
end
