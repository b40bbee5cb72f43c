-- Parses heads of responses (RFC 9112).

local find, gmatch, lower, match = string.find, string.gmatch, string.lower, string.match
local ipairs, tonumber = ipairs, tonumber

-- Returns why the end of the body is ambiguous (RFC 9112 6.3), or nil.
local function framing_fault(headers)
    local length
    for _, header in ipairs(headers) do
        local name, value = lower(header[1]), header[2]
        if name == "transfer-encoding" and lower(value) ~= "chunked" then
            return "the response has a transfer coding that was not requested"
        elseif name == "content-length" and (length and value ~= length or find(value, "%D") or value == "") then
            return "the length of the response is ambiguous"
        elseif name == "content-length" then
            length = value
        end
    end
end

-- Whether the server keeps the connection open (RFC 9112 9.3). Treats every connection of HTTP/1.0 as closed.
local function is_persistent(version, headers)
    for _, header in ipairs(headers) do
        if lower(header[1]) == "connection" and find(lower(header[2]), "close", 1, true) then
            return false
        end
    end
    return version == "1"
end

-- Returns {status =, headers = {{name, value}, ...}, is_persistent =}, or nil and a reason for a malformed head.
return function(text)
    local version, status = match(text, "^HTTP/1%.([01]) ([1-9]%d%d)%f[ \r%z]")
    local headers = {}
    for line in gmatch(match(text, "\r\n(.*)$") or "", "[^\r\n]+") do
        local name, value = match(line, "^([^%s:%c]+):[ \t]*(.-)[ \t]*$")
        if not name or find(value, "[%z\1-\8\10-\31\127]") then
            return nil, "the response has a malformed header"
        end
        headers[#headers + 1] = { name, value }
    end
    if not status then
        return nil, "the response is not HTTP/1.1"
    end
    local fault = framing_fault(headers)
    if fault then
        return nil, fault
    end
    return { status = tonumber(status), headers = headers, is_persistent = is_persistent(version, headers) }
end
