-- Collects the problems of a policy. Their kinds are those of contract/schema/problem.ts.

local byte, format, gsub, sub = string.byte, string.format, string.gsub, string.sub
local file_problems = require("guard.tables").limits.file_problems

local _M = {}

local LONGEST_QUOTE = 60 -- maximum bytes of a value in a message

local function escaped(character)
    return format("\\x%02x", byte(character))
end

-- Formats a value of the policy for a message: printable ASCII of bounded length.
function _M.quoted(value)
    local text = tostring(value)
    local shown = gsub(gsub(sub(text, 1, LONGEST_QUOTE), '["\\]', "\\%0"), "[^ -~]", escaped)
    return '"' .. shown .. (#text > LONGEST_QUOTE and '"...' or '"')
end

-- Keeps only the first problem at each path, because others mostly follow from it, and at most limits.file_problems.
function _M.new()
    local list, seen = {}, {}
    local function add(kind, path, message)
        if not seen[path] and #list < file_problems then
            seen[path] = true
            list[#list + 1] = { kind = kind, path = path, message = message }
        end
    end
    return { list = list, add = add }
end

-- Returns one text with a line for each problem.
function _M.text(list)
    local lines = {}
    for i, problem in ipairs(list) do
        lines[i] = (problem.path ~= "" and problem.path .. ": " or "") .. problem.message
    end
    return table.concat(lines, "\n")
end

return _M
