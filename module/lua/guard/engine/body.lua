-- Inspects the values of a request body, in each format in which some server reads it.

local bytes = require("guard.engine.bytes")
local content_type = require("guard.engine.content_type")
local header_lines = require("guard.engine.header_lines")
local inner_strings = require("guard.engine.inner_strings")
local json_strings = require("guard.engine.json_strings")
local multipart = require("guard.engine.multipart")
local plain = require("guard.engine.plain")
local query = require("guard.engine.query")
local text_runs = require("guard.engine.text_runs")
local value_prefilter = require("guard.engine.value_prefilter")
local view = require("guard.engine.view")
local xml = require("guard.engine.xml")
local limits = require("guard.tables").limits

local are_pairs_clean, is_json_clean = value_prefilter.are_pairs_clean, value_prefilter.is_json_clean
local lower, sub = string.lower, string.sub

local spaces = bytes.set(" \t\n\r\f\v")

local function is_encoded(headers)
    for _, line in ipairs(header_lines(headers, "content-encoding")) do
        local coding = lower(bytes.strip(line, spaces))
        if coding ~= "" and coding ~= "identity" then
            return true
        end
    end
    return false
end

local function visit_form(body, visitor)
    local inner = {}
    local function visit(value)
        inner_strings.add(value, inner)
        return visitor.value(value)
    end
    local answer = query.each_pair(body, function(pair)
        return query.pair_values(pair, visit)
    end)
    if answer ~= nil then
        return answer
    end
    return inner_strings.visit(inner, visitor.value, visitor.pause)
end

local function visit_json(body, visitor)
    return json_strings.visit({ body }, visitor.value, visitor.pause)
end

local function visit_multipart(body, visitor, lines)
    for _, boundary in ipairs(content_type.boundaries(lines)) do
        local answer = multipart.visit(body, boundary, visitor)
        if answer ~= nil then
            return answer
        end
    end
end

local readers = {
    form = visit_form,
    json = visit_json,
    xml = function(body, visitor)
        local function visit(value, is_cut) return visitor.value(value, nil, is_cut) end
        return xml.visit(body, visit, visitor.pause)
    end,
    multipart = visit_multipart,
}

-- Creates the visitor of a body's values. Each of its functions returns a verdict, false when a limit ended the
-- inspection, or nil. `seen` records how much was inspected and, as `overflow`, the first limit that was reached.
local function new_visitor(seen, inspect, pause, is_encoded_body)
    local budget, counted, visitor = { used = 0, pause = pause }, 0, { pause = pause }

    local function reached(overflow)
        seen.overflow = seen.overflow or overflow
    end

    local function inspect_reading(reading)
        local text = sub(reading, 1, limits.body_value_bytes)
        local candidates, limit = view(text, limits.body_value_bytes, budget)
        local verdict = inspect("body", "body", candidates)
        if verdict or not limit then
            return verdict
        elseif limit == "limit_candidates" and budget.used + limits.body_value_bytes > limits.request_bytes then
            reached("values")
            return false
        end
        reached("value")
    end

    -- Counts one value towards limits.body_values.
    function visitor.charge()
        if counted == limits.body_values then
            reached("values")
            return false
        end
        counted = counted + 1
    end

    -- Records that a part names a character set outside of `ascii_charsets`: ASCII text may then have other bytes.
    function visitor.unknown_charset()
        visitor.has_unknown_part = true
    end

    local function count(value)
        if value ~= "" and not plain.is_word(value) then
            return visitor.charge()
        end
    end

    local function inspect_whole(text)
        seen.values, seen.bytes = seen.values + 1, seen.bytes + #text
        if visitor.is_form then
            return query.plus_readings(text, inspect_reading)
        end
        return inspect_reading(text)
    end

    local function inspect_run(text)
        local answer = count(text)
        if answer ~= nil then
            return answer
        end
        return inspect_whole(text)
    end

    -- Inspects a text without counting it. In an encoded body, counts and inspects each of its runs. Skips empty texts.
    function visitor.text(text)
        if text == "" then
            return nil
        elseif is_encoded_body then
            return text_runs(text, inspect_run)
        end
        return inspect_whole(text)
    end

    -- Inspects a value, cut to `most` bytes. With `is_cut` the value is already incomplete.
    function visitor.value(value, most, is_cut)
        pause()
        most = most or limits.body_value_bytes
        local answer
        if not is_encoded_body then
            answer = count(value)
        end
        if answer ~= nil then
            return answer
        elseif is_cut or #value > most then
            reached("value")
            value = sub(value, 1, most)
        end
        return visitor.text(value)
    end

    return visitor
end

-- Inspects a body as each of `kinds`. Returns the verdict or nil, and whether a part has an unknown character set.
local function inspect_values(body, kinds, lines, visitor)
    for _, kind in ipairs(kinds) do
        visitor.is_form = kind == "form"
        local answer = readers[kind](body, visitor, lines)
        if answer ~= nil then
            return answer or nil, visitor.has_unknown_part
        end
    end
    return nil, visitor.has_unknown_part
end

-- Whether a server may find values in the body that the guard does not find.
local function is_malformed(body, kinds, is_named, lines, pause)
    for _, kind in ipairs(kinds) do
        if kind == "json" and is_named.json and not json_strings.is_json(body, pause) then
            return true
        elseif kind == "xml" and is_named.xml and not xml.is_xml(body, pause) then
            return true
        elseif kind == "multipart" then
            local has_parts = false
            for _, boundary in ipairs(content_type.boundaries(lines)) do
                has_parts = has_parts or multipart.has_parts(body, boundary)
            end
            if not has_parts then
                return true
            end
        end
    end
    return false
end

-- Returns why a part of the body was not inspected, or nil.
local function overflow_cause(body, max_bytes, kinds, is_named, lines, seen, has_unknown_part, pause)
    if kinds[1] and #body > max_bytes then
        return "length"
    elseif has_unknown_part or content_type.has_unknown_charset(lines) then
        return "charset"
    elseif is_malformed(body, kinds, is_named, lines, pause) then
        return "malformed"
    end
    return seen.overflow
end

-- Returns the prefilter of bodies. It passes only forms and JSON of which no rule matches any value, and which can
-- reach no limit.
local function new_prefilter(filter, match)
    return function(kind, body, pause)
        local is_clean, count = false, 0
        if kind == "form" then
            is_clean, count = are_pairs_clean(filter, match, body, 1, pause)
            count = 2 * count -- each pair has a key and a value
        elseif kind == "json" then
            is_clean, count = is_json_clean(filter, match, body, pause)
        end
        return is_clean and count <= limits.body_values
    end
end

-- Inspects a body. Parts that cannot be inspected block only with `body_overflow: block`, so that uploads work by
-- default.
local function inspect_body(request, policy, passes_prefilter, inspect, pause)
    local lines, blocks = header_lines(request.headers, "content-type"), policy.body_overflow == "block"
    local named = content_type.kinds(lines)
    local body, seen = named[1] and request.body or "", { values = 0, bytes = 0 }
    if body == "" then
        return nil
    end
    local encoded = is_encoded(request.headers)
    local inspected = sub(body, 1, policy.max_body_bytes)
    local kinds, is_named = content_type.resolve(named, inspected)
    if not encoded and #kinds == 1 and #body <= policy.max_body_bytes and passes_prefilter(kinds[1], body, pause)
        and not (blocks and content_type.has_unknown_charset(lines)) then
        return nil
    end
    local visitor = new_visitor(seen, inspect, pause, encoded)
    local verdict, has_unknown_part = inspect_values(inspected, kinds, lines, visitor)
    if verdict or not blocks then
        return verdict
    end
    seen.overflow = encoded and "encoding"
        or overflow_cause(body, policy.max_body_bytes, kinds, is_named, lines, seen, has_unknown_part, pause)
    verdict = seen.overflow and inspect("body", "body", {}, "limit_body")
    if verdict then
        verdict.body = seen
    end
    return verdict
end

return { inspect = inspect_body, new_prefilter = new_prefilter }
