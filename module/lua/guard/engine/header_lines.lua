-- Returns the values of a header in received order. `name` is in lower case, with dashes. A header whose name is
-- spelled with underscores does not count.

local header_index = require("guard.engine.header_index")

local lower = string.lower

return function(headers, name, pause)
    local lines = {}
    for _, header in ipairs(header_index.of(headers, pause)[name] or {}) do
        if lower(header[1]) == name then
            lines[#lines + 1] = header[2]
        end
    end
    return lines
end
