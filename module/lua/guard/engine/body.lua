-- Values of a body. Its limits end the inspection and never block, because uploads must work.

local bytes = require("guard.engine.bytes")
local content_type = require("guard.engine.content_type")
local header_lines = require("guard.engine.header_lines")
local json_strings = require("guard.engine.json_strings")
local multipart = require("guard.engine.multipart")
local query = require("guard.engine.query")
local view = require("guard.engine.view")
local limits = require("guard.tables").limits

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

local function visit_form(body, visit)
    for part in bytes.parts(body, "&") do
        local answer = query.key_and_value(part, visit)
        if answer ~= nil then
            return answer
        end
    end
end

local function visit_json(body, visit)
    for value in json_strings(body) do
        local answer = visit(value)
        if answer ~= nil then
            return answer
        end
    end
end

local function visit_multipart(body, visit, lines)
    for _, boundary in ipairs(content_type.boundaries(lines)) do
        local answer = multipart(body, boundary, visit)
        if answer ~= nil then
            return answer
        end
    end
end

local visitors = { form = visit_form, json = visit_json, multipart = visit_multipart }

-- Inspects one reading of a value; false when the budget of the body is spent.
local function inspect_reading(reading, budget, inspect)
    local text = sub(reading, 1, limits.body_value_bytes)
    local candidates, limit = view(text, limits.body_value_bytes, budget)
    local verdict = inspect("body", "body", candidates)
    if verdict == nil and limit == "limit_candidates" and budget.used + limits.body_value_bytes > limits.request_bytes then
        return false
    end
    return verdict
end

-- Inspects the first `max_bytes` bytes of the body of a request in each reading. All readings share one budget.
return function(request, max_bytes, inspect)
    local lines = header_lines(request.headers, "content-type")
    local kinds = content_type.kinds(lines)
    if not kinds[1] or is_encoded(request.headers) then
        return nil
    end
    local budget, count = { used = 0 }, 0
    local function reading(text)
        return inspect_reading(text, budget, inspect)
    end
    for _, kind in ipairs(kinds) do
        local answer = visitors[kind](sub(request.body or "", 1, max_bytes), function(text)
            count = count + 1
            if count > limits.body_values then
                return false
            end
            if kind == "form" then
                return query.plus_readings(text, reading)
            end
            return reading(text)
        end, lines)
        if answer ~= nil then
            return answer or nil
        end
    end
end
