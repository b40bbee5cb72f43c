-- Recognizes requests of which only the body can have a match, and whose body is empty, or a form or JSON that is clean
-- (engine/value_prefilter.lua). Reads the headers as nginx has them, without the lists that an evaluation needs.

local content_type = require("guard.engine.content_type")
local exploits = require("guard.engine.exploits")

local rawget = rawget

-- The kind of body that every server reads for a Content-Type, for those that clients usually send. All of them have a
-- known character set, so body_overflow decides nothing.
local kinds = {}
for media_type, start in pairs({ ["application/json"] = "{", ["application/x-www-form-urlencoded"] = "a=" }) do
    for _, ending in ipairs({ "", "; charset=utf-8", ";charset=utf-8", "; charset=UTF-8", ";charset=UTF-8" }) do
        local lines = { media_type .. ending }
        local found = content_type.resolve(content_type.kinds(lines), start)
        assert(#found == 1 and not content_type.has_unknown_charset(lines))
        kinds[lines[1]] = found[1]
    end
end

-- Returns a function that reports whether an evaluation of a request would end with the reason `no_match`. The target and
-- the other headers of the request must have passed their prefilters. Repeated headers are lists, which `kinds` does
-- not have.
return function(policy, compiled)
    -- The body of a client in allowed_ips is not read.
    local is_inspected = policy.enabled and not compiled.allowed_ips[1]
    local passes, most_bytes = compiled.passes_body_prefilter, policy.max_body_bytes

    local function is_plain(request, kind)
        local body = request.body
        return body == "" or kind ~= nil and #body <= most_bytes and passes(kind, body, request.pause)
    end

    return function(request)
        local headers = request.headers_by_name
        local line = rawget(headers, "content-type")
        local kind = line and kinds[line]
        -- For another type, an evaluation finds out whether the body has to be read at all.
        if not is_inspected or rawget(headers, "content-encoding") or line and not kind then
            return false
        end
        return (not request.inspects_body or is_plain(request, kind))
            and (not request.has_body_rule or exploits.is_body_clean(compiled, request))
    end
end
