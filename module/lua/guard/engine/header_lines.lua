-- The values of a header, in received order. `name` is in lower case.

local lower = string.lower

return function(headers, name)
    local lines = {}
    for _, header in ipairs(headers) do
        if lower(header[1]) == name then
            lines[#lines + 1] = header[2]
        end
    end
    return lines
end
