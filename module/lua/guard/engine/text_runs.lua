-- Compressed bytes match rules by chance, so only long runs of text in an encoded body are inspected.

local find, sub = string.find, string.sub

-- Lengths of runs in bytes. A run of at least LONG bytes is inspected. A shorter run of at least SHORT bytes is
-- inspected only when it contains two dots, or the start of an escape that can become a dot. A run that is the whole
-- value is always inspected.
local SHORT, LONG = 8, 16

local function is_inspected(run, value)
    return run == value or #run >= LONG or #run >= SHORT and (find(run, "..", 1, true) or find(run, "%%[2cefuCEFU]"))
end

-- Visits the inspected runs until the visitor returns a value.
return function(value, visit)
    local start, stop = find(value, "[ -~\t\r\n]+")
    while start do
        local run, answer = sub(value, start, stop), nil
        if is_inspected(run, value) then
            answer = visit(run)
        end
        if answer ~= nil then
            return answer
        end
        start, stop = find(value, "[ -~\t\r\n]+", stop + 1)
    end
end
