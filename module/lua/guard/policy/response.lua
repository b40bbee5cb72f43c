-- Checks combinations of keys of the response, and keys that depend on its mode.

local forms = require("guard.policy.forms")
local has = require("guard.policy.read").has
local schema = require("guard.policy.schema")
local tables = require("guard.policy.tables")

local lower = string.lower
local concat, sort = table.concat, table.sort

local _M = {}

-- Whether a response of the mode can have this status. A mode that sends no status ignores it.
local function allows_status(mode, status)
    if mode.status_codes then
        return has(mode.status_codes, status)
    end
    return mode.status_code == nil or not has(tables.bodiless_statuses, status)
end

local function allowed_statuses(mode)
    if mode.status_codes then
        return "one of " .. concat(mode.status_codes, ", ")
    end
    return "a status that has a body, not " .. concat(tables.bodiless_statuses, ", ")
end

local function check_header(reader, path, name, value, is_repeated)
    if name == "__proto__" then -- guardcli cannot read it: see contract/load/check.ts
        reader.add("unknown_key", path, 'no key can be "__proto__"')
    elseif not forms.is_token(name, reader.find) then
        reader.add("bad_value", path, "expected a header name (RFC 9110 token)")
    elseif tables.framing_headers[lower(name)] then
        reader.add("bad_value", path, name .. " is set by the proxy alone")
    elseif forms.has_control(value) then
        reader.add("bad_value", path, "expected a header value without control characters")
    elseif is_repeated then
        reader.add("conflict", path, name .. " is set twice: header names are case-insensitive")
    end
end

local function check_headers(reader, path, headers)
    local names, seen = {}, {}
    for name in pairs(headers) do
        names[#names + 1] = name
    end
    sort(names)
    for _, name in ipairs(names) do
        check_header(reader, reader.path(path .. ".headers", name), name, headers[name], seen[lower(name)])
        seen[lower(name)] = true
    end
end

local function check_captcha(reader, captcha)
    for _, row in ipairs(tables.captcha_keys) do
        local is_provider = has(schema.members.response.members.captcha.members.provider.choices, captcha.provider)
        local value = captcha[row.key] or ""
        if value ~= "" and value ~= 0 and is_provider and not has(row.providers, captcha.provider) then
            reader.add("bad_value", "response.captcha." .. row.key,
                "no response of " .. captcha.provider .. " has it to compare; remove it, or use one of "
                    .. concat(row.providers, ", "))
        end
    end
end

-- Checks a response of a policy after its keys were checked, and fills in the defaults of its mode. `path` is that of the
-- response.
function _M.complete(reader, path, response)
    check_headers(reader, path, response.headers or {})
    if response.captcha then
        check_captcha(reader, response.captcha)
    end
    local mode = tables.modes[response.mode]
    if not mode then
        return -- an invalid mode was already reported
    end
    if response.status_code == nil then
        response.status_code = mode.status_code
    elseif not allows_status(mode, response.status_code) then
        reader.add("bad_value", path .. ".status_code", "expected " .. allowed_statuses(mode) .. " for mode " .. mode.name)
    end
    response.content_type = response.content_type or mode.content_type
    for _, key in ipairs({ "proxy_url", "captcha" }) do
        local is_of_mode = mode.name == key:gsub("_url$", "")
        if is_of_mode and response[key] == nil and (path == "response" or key ~= "captcha") then -- a ban list refuses the mode
            reader.add("missing_key", path .. "." .. key, "mode " .. mode.name .. " needs " .. key)
        end
    end
end

return _M
