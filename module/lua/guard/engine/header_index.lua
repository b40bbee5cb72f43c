-- Indexes the headers of a request by name. A client may send many, so they are read once and not for each name.

local gsub, lower = string.gsub, string.lower

-- Number of headers that are read between two pauses.
local BATCH = 256

-- Returns a name in lower case with dashes, because CGI does not distinguish dashes and underscores.
local function normalize(name)
    return (gsub(lower(name), "_", "-"))
end

local function no_pause() end

-- Returns the headers by normalized name, each in received order, and stores them in `headers`.
local function index_of(headers, pause)
    if headers.by_name then
        return headers.by_name
    end
    pause = pause or no_pause
    local by_name = {}
    for i, header in ipairs(headers) do
        if i % BATCH == 0 then
            pause()
        end
        local name = normalize(header[1])
        local same = by_name[name]
        if same then
            same[#same + 1] = header
        else
            by_name[name] = { header }
        end
    end
    headers.by_name = by_name
    return by_name
end

return { of = index_of, normalize = normalize }
