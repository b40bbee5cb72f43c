-- The candidates of one value: every reading of every round of decoding. A reading is a text that some server makes of
-- the value. A candidate is a reading in which bytes other than printable ASCII are escaped.

local base64 = require("guard.engine.base64")
local bytes = require("guard.engine.bytes")
local decode = require("guard.engine.decode")
local fold = require("guard.engine.fold")
local forms = require("guard.engine.forms")
local path_readings = require("guard.engine.path_readings")
local plain = require("guard.engine.plain")
local limits = require("guard.tables").limits

local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub
local escape = bytes.escape

-- Whether the folded text is plausible: it is ASCII or has a traversal. Other text is in another character set: in GBK,
-- the bytes C0 EE are a common surname, and they would fold to a dot.
local function is_plausible(folded)
    return not find(folded, "[\128-\255]") or find(folded, "%.%.[/\\]") or find(folded, "[/\\]%.%.")
end

local function plausible_text(text)
    local folded = fold(text)
    return (folded == text or is_plausible(folded)) and folded or text
end

-- Adds the readings that only a path has, of its end without controls, or only another value, of the whole value.
local function each_of_kind(whole, ended, add, is_path)
    if not is_path then
        local trimmed = forms.trim_blanks(whole)
        return trimmed == whole or forms.each(trimmed, add)
    end
    for _, reading in ipairs(path_readings.of((gsub(ended, "\\", "/")))) do
        if not forms.each(reading, add) then
            return false
        end
    end
    return true
end

-- Calls `add` with all readings of one round, in order, with repetitions.
local function each_reading(raw, add, is_path)
    if not forms.each(raw, add) then
        return false
    end
    local folded = plausible_text(raw)
    if folded ~= raw and not forms.each(folded, add) then
        return false
    end
    local ended = forms.cut(folded)
    if ended ~= folded and not forms.each(ended, add) then
        return false
    end
    local clean = forms.without_controls(folded)
    if clean ~= folded and not forms.each(clean, add) then
        return false
    end
    ended = ended == folded and clean or forms.without_controls(ended)
    if ended ~= clean and not forms.each(ended, add) then
        return false
    end
    local valid = forms.without_invalid(raw)
    if valid ~= raw and not forms.each(forms.without_controls(plausible_text(valid)), add) then
        return false
    end
    if not each_of_kind(clean, ended, add, is_path) then
        return false
    end
    local text = base64.text_of(raw)
    return not text or forms.each(text, add)
end

-- Returns a function that collects each candidate once, within the limits of candidate bytes of a value and a request.
local function new_collector(candidates, budget)
    local seen, found, size = {}, {}, 0
    return function(reading)
        budget.pause()
        if seen[reading] then -- finds most repetitions without escaping the reading
            return true
        end
        seen[reading] = true
        local candidate = escape(reading)
        if found[candidate] then
            return true
        end
        size = size + #candidate
        if size > limits.view_bytes or budget.used + #candidate > limits.request_bytes then
            return false
        end
        budget.used = budget.used + #candidate
        found[candidate] = true
        candidates[#candidates + 1] = candidate
        return true
    end
end

-- Maximum number of candidates of a link.
local MOST_OF_LINK = 4

-- Returns the candidates of a link whose parts are plain, as in most JSON, or nil: the link, the link with one slash in
-- front of its host, and the parts of both in front of ? or #.
local function link_candidates(raw)
    local host = match(raw, "^https?://()")
    local mark = host and find(raw, "[?#]", host)
    if not host or not plain.is_plain(sub(raw, host - 1, mark and mark - 1 or -1))
        or mark and not plain.is_plain(sub(raw, mark + 1)) then
        return nil
    end
    local collapsed = sub(raw, 1, host - 2) .. sub(raw, host)
    if not mark then
        return { raw, collapsed }
    end
    return { raw, collapsed, sub(raw, 1, mark - 1), sub(collapsed, 1, mark - 2) }
end

-- Returns the candidates of a text that has few, or nil. They are within all limits.
local function few_candidates(raw, budget, is_path)
    if plain.is_plain(raw) then
        local is_whole = not (is_path and path_readings.is_routed(raw)) and not base64.text_of(raw)
        return is_whole and #raw <= limits.view_bytes and budget.used + #raw <= limits.request_bytes and { raw } or nil
    end
    local most = MOST_OF_LINK * #raw
    local is_short = not is_path and most <= limits.view_bytes and budget.used + most <= limits.request_bytes
    return is_short and link_candidates(raw) or nil
end

-- Returns candidates of a path or another value in order, and the limit that was reached, if any. `budget.pause` is called
-- between steps.
return function(raw, max_bytes, budget, is_path)
    if #raw > max_bytes then
        return {}, "limit_length"
    end
    local few = few_candidates(raw, budget, is_path)
    if few then
        for _, candidate in ipairs(few) do
            budget.used = budget.used + #candidate
        end
        return few
    end
    local candidates, reading, rounds = {}, raw, 0
    local add = new_collector(candidates, budget)
    while true do
        if not each_reading(reading, add, is_path) then
            return candidates, "limit_candidates"
        end
        local decoded = decode(reading)
        if decoded == reading then
            return candidates
        end
        if rounds == limits.decode_rounds then
            return candidates, "limit_decode_rounds"
        end
        rounds = rounds + 1
        reading = decoded
    end
end
