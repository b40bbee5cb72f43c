-- Formats a security event as one line of JSON, newline included, in at most event_bytes bytes of printable ASCII. If
-- the line would be longer, the longest values are cut. The candidate keeps the part around the match.

local tables = require("guard.tables")

local event_bytes = tables.limits.event_bytes
-- The members in the order of the line, generated from contract/events.
local written = tables.event

local char, find, floor, format = string.char, string.find, math.floor, string.format
local gsub, sub = string.gsub, string.sub
local min = math.min
local concat, sort = table.concat, table.sort

local GATEWAY = "nginx"

-- The escaped form of each byte in a JSON string.
local escapes = {}
for code = 0, 255 do
    local character = char(code)
    if find(character, '["\\]') then
        escapes[character] = "\\" .. character
    elseif find(character, "[ -~]") then
        escapes[character] = character
    else
        escapes[character] = format("%%%02X", code)
    end
end

local function escaped(text)
    return (gsub(text, '["\\%c\128-\255]', escapes))
end

-- Replaces the missing bytes of a cut value.
local CUT_MARK = "..."

-- Returns how many characters fit into `room` bytes when they are escaped. A `step` of -1 counts backwards.
local function count_fitting(text, from, step, room)
    local size, count, at = 0, 0, from
    while at >= 1 and at <= #text do
        size = size + #escapes[sub(text, at, at)]
        if size > room then
            break
        end
        count, at = count + 1, at + step
    end
    return count
end

-- Returns the escaped part of a text around an offset in at most `most` bytes. Does not split an escape.
local function cut_value(text, escaped_text, place, most)
    if #escaped_text <= most then
        return escaped_text
    end
    local room = most - 2 * #CUT_MARK
    local start = min(#text - count_fitting(text, #text, -1, room), place - floor(room / 4))
    if start <= 0 then
        return escaped(sub(text, 1, count_fitting(text, 1, 1, most - #CUT_MARK))) .. CUT_MARK
    end
    local count = count_fitting(text, start + 1, 1, room)
    return CUT_MARK .. escaped(sub(text, start + 1, start + count)) .. (start + count < #text and CUT_MARK or "")
end

-- Returns the largest escaped length to which values can be cut so that all of them fit into `room`.
local function cut_length(lengths, room)
    sort(lengths)
    for i, length in ipairs(lengths) do
        local share = floor(room / (#lengths - i + 1))
        if length > share then
            return share
        end
        room = room - length
    end
    return event_bytes
end

-- Formats seconds since the epoch as "2026-11-21T00:02:03.004Z".
local function timestamp(now)
    local seconds = floor(now)
    return os.date("!%Y-%m-%dT%H:%M:%S", seconds) .. format(".%03dZ", floor((now - seconds) * 1000 + 0.5) % 1000)
end

local function members(event)
    local computed = { type = written.types[event.mode], timestamp = timestamp(event.time), gateway = GATEWAY }
    local list = {}
    local function add(names)
        for _, name in ipairs(names) do
            local is_number = written.numbers[name]
            list[#list + 1] = { name, tostring(computed[name] or event[name] or (is_number and 0 or "")), is_number }
        end
    end
    add(written.members)
    if event.overflow then
        add(written.body_members)
    end
    return list
end

-- Formats an event with `time` (seconds since the epoch) and the members of a line. An absent text is written as empty, an
-- absent number as 0.
local function event_line(event)
    local list, lengths, room = members(event), {}, event_bytes - #"}\n"
    for _, member in ipairs(list) do
        local name, value, is_bare = member[1], member[2], member[3]
        member.escaped = is_bare and value or escaped(value)
        room = room - #',"":' - #name - (is_bare and #value or #'""')
        if not is_bare then
            lengths[#lengths + 1] = #member.escaped
        end
    end
    local most = cut_length(lengths, room)
    for i, member in ipairs(list) do
        local value = member[3] and member.escaped or '"' .. cut_value(member[2], member.escaped, member[1] == "candidate" and event.place or 0, most) .. '"'
        list[i] = '"' .. member[1] .. '":' .. value
    end
    return "{" .. concat(list, ",") .. "}\n"
end

-- Returns the summary line for `count` events without a line. `clients` has the clients with the most events.
local function summary_line(time, count, clients, others)
    local named = {}
    for i, entry in ipairs(clients) do
        named[i] = format(written.client_format, escaped(entry.client), entry.count)
    end
    return format(written.summary_format, timestamp(time), GATEWAY, count, concat(named, ","), others)
end

return { of = event_line, summary = summary_line }
