-- Values of a body. Its limits end the inspection and never block, because uploads must work.

local bytes = require("guard.engine.bytes")
local json_strings = require("guard.engine.json_strings")
local multipart = require("guard.engine.multipart")
local parameters = require("guard.engine.parameters")
local query = require("guard.engine.query")
local view = require("guard.engine.view")
local limits = require("guard.tables").limits

local lower, match, sub = string.lower, string.match, string.sub

local blanks, spaces = bytes.set(" \t"), bytes.set(" \t\n\r\f\v")
local style = { name = "%w*_-", may_be_open = false, escape = "\\([^\n])" }

-- The first Content-Type counts: its type in lower case, and the whole value.
local function content_type(headers)
    for _, header in ipairs(headers) do
        if lower(header[1]) == "content-type" then
            return lower(bytes.strip(match(header[2], "^[^;]*"), blanks)), header[2]
        end
    end
    return "", ""
end

local function is_encoded(headers)
    for _, header in ipairs(headers) do
        if lower(header[1]) == "content-encoding" then
            local coding = lower(bytes.strip(header[2], spaces))
            if coding ~= "" and coding ~= "identity" then
                return true
            end
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

local function visit_multipart(body, visit, value)
    local boundary = parameters(value, style).boundary
    if boundary and boundary ~= "" and #boundary <= limits.multipart_boundary_bytes then
        return multipart(body, boundary, visit)
    end
end

local visitors = {
    ["application/x-www-form-urlencoded"] = visit_form,
    ["application/json"] = visit_json,
    ["multipart/form-data"] = visit_multipart,
}

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

-- Inspects the first `max_bytes` bytes of the body of a request, with a budget of its own.
return function(request, max_bytes, inspect)
    local kind, value = content_type(request.headers)
    local visit_values = visitors[kind] or (sub(kind, -5) == "+json" and visit_json)
    if not visit_values or is_encoded(request.headers) then
        return nil
    end
    local budget, count = { used = 0 }, 0
    local function reading(text)
        return inspect_reading(text, budget, inspect)
    end
    local answer = visit_values(sub(request.body or "", 1, max_bytes), function(text)
        count = count + 1
        if count > limits.body_values then
            return false
        end
        if visit_values == visit_form then
            return query.plus_readings(text, reading)
        end
        return reading(text)
    end, value)
    return answer or nil
end
