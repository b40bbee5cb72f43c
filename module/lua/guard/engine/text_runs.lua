-- What is inspected of a value of a body that has a Content-Encoding: servers that ignore the header read the bytes
-- verbatim. Values of compressed bodies match rules by chance, so that only text counts, and a part of a value has to be long.

local find, sub = string.find, string.sub

-- Bytes from which a part of a value counts. Between these numbers it needs two dots, or the start of an escape of one.
local SHORT, LONG = 8, 16

local function counts(run, value)
    return run == value or #run >= LONG or #run >= SHORT and (find(run, "..", 1, true) or find(run, "%%[2cefuCEFU]"))
end

-- Visits runs of text until the visitor returns a value.
return function(value, visit)
    local start, stop = find(value, "[ -~\t\r\n]+")
    while start do
        local run, answer = sub(value, start, stop), nil
        if counts(run, value) then
            answer = visit(run)
        end
        if answer ~= nil then
            return answer
        end
        start, stop = find(value, "[ -~\t\r\n]+", stop + 1)
    end
end
