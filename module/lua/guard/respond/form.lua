-- Encodes and decodes forms (application/x-www-form-urlencoded).

local byte, char, find, format, gmatch, gsub, match = string.byte, string.char, string.find, string.format,
    string.gmatch, string.gsub, string.match

local _M = {}

-- Decodes a text. Returns nil for an invalid escape.
local function decode(text)
    local spaced = gsub(text, "+", " ")
    if find(gsub(spaced, "%%%x%x", ""), "%", 1, true) then
        return nil
    end
    return (gsub(spaced, "%%(%x%x)", function(digits) return char(tonumber(digits, 16)) end))
end

-- Returns the first value of each name. Returns no names when anything is malformed.
function _M.decode(text)
    local values = {}
    for pair in gmatch(text, "[^&]+") do
        local name, value = match(pair, "^([^=]*)=?(.*)$")
        name, value = decode(name), decode(value)
        if not name or not value or find(pair, ";", 1, true) then
            return {}
        end
        values[name] = values[name] or value
    end
    return values
end

local function encode(text)
    return (gsub(text, "[^%w._~-]", function(c) return format("%%%02X", byte(c)) end))
end

function _M.encode(fields)
    local pairs_of = {}
    for i, field in ipairs(fields) do
        pairs_of[i] = encode(field[1]) .. "=" .. encode(field[2])
    end
    return table.concat(pairs_of, "&")
end

return _M
