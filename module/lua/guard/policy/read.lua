-- Checks a policy against the schema: types, bounds, choices, unknown keys. Returns a copy with every default.

local forms = require("guard.policy.forms")
local nearest = require("guard.policy.nearest")
local quoted = require("guard.policy.problems").quoted

local abs, floor = math.abs, math.floor
local concat, sort = table.concat, table.sort

local LARGEST_WHOLE = 2 ^ 53
local PLAIN_KEY = "^[$%a_][%w_$-]*$"
local LONGEST_PLAIN_KEY = 60

local type_names = {
    boolean = "true or false", integer = "a whole number", string = "text", array = "a list", object = "an object",
}

local function key_path(path, key)
    if type(key) ~= "string" or not key:find(PLAIN_KEY) or #key > LONGEST_PLAIN_KEY then
        return path .. "[" .. (type(key) == "string" and quoted(key) or tostring(key)) .. "]"
    end
    return path == "" and key or path .. "." .. key
end

local function is_list(value)
    local count = 0
    for _ in pairs(value) do
        count = count + 1
    end
    return count == #value
end

local function is_whole(value)
    return type(value) == "number" and value == floor(value) and abs(value) < LARGEST_WHOLE
end

local is_of_kind = {
    boolean = function(value) return type(value) == "boolean" end,
    integer = is_whole,
    string = function(value) return type(value) == "string" end,
    array = function(value) return type(value) == "table" and is_list(value) end,
    object = function(value) return type(value) == "table" and (next(value) == nil or #value == 0) end,
}

local function check_bounds(reader, node, path, count, unit)
    local least, most = node.min or 0, node.max
    if unit ~= "" and count < least then
        reader.add("out_of_range", path, ("expected at least %d%s, found %d"):format(least, unit, count))
    elseif unit ~= "" and most and count > most then
        reader.add("out_of_range", path, ("expected at most %d%s, found %d"):format(most, unit, count))
    elseif unit == "" and (count < least or most and count > most) then
        reader.add("out_of_range", path, ("expected %d to %d, found %s"):format(least, most, count))
    end
end

local function check_secret(reader, node, path, text)
    if forms.environment_name(text) and #text <= node.max then
        return
    elseif text:find("${", 1, true) then
        reader.add("bad_value", path, "expected a key, or nothing but ${NAME}")
    end
    check_bounds(reader, node, path, #text, " bytes")
end

local function has(list, wanted)
    for _, item in ipairs(list) do
        if item == wanted then
            return true
        end
    end
    return false
end

local function check_text(reader, node, path, text)
    if forms.secrets[node.key] then
        return check_secret(reader, node, path, text)
    end
    check_bounds(reader, node, path, #text, " bytes")
    if node.choices and not has(node.choices, text) then
        reader.add("bad_value", path, "expected one of " .. concat(node.choices, ", ") .. ", found " .. quoted(text))
    end
    if node.form and not reader.find(text, node.form) then
        reader.add("bad_value", path, "expected " .. forms.names[node.key] .. ", found " .. quoted(text))
    end
    local check = forms.checks[node.key]
    local kind, message
    if check then
        kind, message = check(text, reader.find)
    end
    if kind then
        reader.add(kind, path, message)
    end
end

local read

local function read_list(reader, node, path, value)
    check_bounds(reader, node, path, #value, " entries")
    local copy = {}
    for i, entry in ipairs(value) do
        copy[i] = read(reader, node.entries, ("%s[%d]"):format(path, i - 1), entry)
    end
    return copy
end

local function report_unknown(reader, node, path, value)
    for key in pairs(value) do
        if not node.members[key] then
            local meant = type(key) == "string" and nearest(key, node.names)
            local hint = meant and ('; did you mean "%s"?'):format(meant) or ""
            reader.add("unknown_key", key_path(path, key), "unknown key " .. quoted(key) .. hint)
        end
    end
end

local function read_mapping(reader, node, path, value)
    local copy, names = {}, {}
    for name in pairs(value) do
        names[#names + 1] = tostring(name)
    end
    sort(names)
    for _, name in ipairs(names) do
        copy[name] = read(reader, node.values, key_path(path, name), value[name])
    end
    return copy
end

local function read_object(reader, node, path, value)
    if node.values then
        return read_mapping(reader, node, path, value)
    end
    report_unknown(reader, node, path, value)
    local copy = {}
    for _, name in ipairs(node.names) do
        copy[name] = read(reader, node.members[name], key_path(path, name), value[name])
    end
    return copy
end

local function needs_members(node)
    for _, member in pairs(node.members or {}) do
        if member.required then
            return true
        end
    end
    return false
end

-- Returns the value of an absent key. An object whose keys are all optional is never absent.
local function fill_absent(reader, node, path)
    if node.required then
        reader.add("missing_key", path, path:match("[^.]+$") .. " is missing")
    elseif node.kind == "object" and not needs_members(node) then
        return read_object(reader, node, path, {})
    elseif type(node.default) == "table" then
        return { unpack(node.default) }
    end
    return node.default
end

-- Checks a value. `reader` has `add(kind, path, message)` and `find(subject, pattern)`.
function read(reader, node, path, value)
    if value == nil then
        return fill_absent(reader, node, path)
    end
    if node.short and type(value) == "string" then
        value = { [node.short] = value }
    end
    if not is_of_kind[node.kind](value) then
        local wanted = node.choices and "one of " .. concat(node.choices, ", ") or type_names[node.kind]
        reader.add(node.choices and "bad_value" or "wrong_type", path, "expected " .. wanted)
        return nil
    elseif node.kind == "string" then
        check_text(reader, node, path, value)
    elseif node.kind == "integer" then
        check_bounds(reader, node, path, value, "")
    elseif node.kind == "array" then
        return read_list(reader, node, path, value)
    elseif node.kind == "object" then
        return read_object(reader, node, path, value)
    end
    return value
end

return { value = read, path = key_path, has = has }
