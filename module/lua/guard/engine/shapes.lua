-- The machines that find texts with one reading only: of paths, of the pairs of a query or form, of JSON, and of base64.

local ffi = require("ffi")

local base64 = require("guard.engine.base64")
local can_name_file = require("guard.engine.query").file_key_starts
local is_outside_of_strings = require("guard.engine.json_strings").is_outside
local machine = require("guard.engine.machine")
local plain = require("guard.engine.plain")
local scripts = require("guard.engine.path_readings").scripts

local byte, char, lower, sub = string.byte, string.char, string.lower, string.sub
local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift

local AND, DOT, EQUALS, PARENTHESIS, PLUS, QUESTION, QUOTE, SLASH = 0x26, 0x2E, 0x3D, 0x28, 0x2B, 0x3F, 0x22, 0x2F

local OPENING, CLOSING = 0x5B, 0x5D -- square brackets

-- The ambiguous pairs of plain.lua, and the start of a session of ASP.NET.
local ambiguous_in_path = ffi.new("uint8_t[?]", 65536)
ffi.copy(ambiguous_in_path, plain.ambiguous, 65536)
ambiguous_in_path[lshift(SLASH, 8) + PARENTHESIS] = 1

-- The ambiguous pairs of plain.lua, and two more: a plus is also a space, and a quotation mark may belong to JSON.
local ambiguous_in_value = ffi.new("uint8_t[?]", 65536)
ffi.copy(ambiguous_in_value, plain.ambiguous, 65536)
for first = 0, 255 do
    ambiguous_in_value[lshift(first, 8) + QUOTE] = 1
end
ambiguous_in_value[lshift(PLUS, 8) + SLASH] = 1

-- Bytes in which a plain value can end. A plus at the end is also read as a space.
local can_end_value = {}
for code = 0, 255 do
    can_end_value[code] = code ~= PLUS and plain.can_end(code)
end

-- Returns for each byte the first one behind which a text goes on and ends in the same way.
local function classes_of(ambiguous)
    local classes, first_of = {}, {}
    for code = 0, 255 do
        local row = ffi.string(ambiguous + lshift(code, 8), 256) .. tostring(can_end_value[code])
        first_of[row] = first_of[row] or code
        classes[code] = first_of[row]
    end
    return classes
end

-- Builds a shape: a machine with masks of its states. `kept`: the bits of what is read across a byte, none behind the end
-- of a value. `checked`: a reading may end in front of the byte. `is_last`: the text may end. `last_of(name)` is the last
-- byte of a text in this state.
local function new_shape(first, step, is_end, last_of, is_last)
    local next_state, names = machine.build(first, step)
    local shape = { next = next_state, is_last = {} }
    shape.kept, shape.checked = ffi.new("int32_t[?]", #names + 1), ffi.new("int32_t[?]", #names + 1)
    for state, name in ipairs(names) do
        shape.kept[state] = is_end(name) and 0 or -1
        shape.checked[state] = (is_end(name) or last_of(name) == SLASH) and -1 or 0
        shape.is_last[state] = is_last(name)
    end
    return shape
end

-- The shape of a path: the class of the last byte * 64 + the number of the start of an extension. It stops behind the
-- question mark, and in front of path info.
local END_OF_PATH = -1
local function path_shape()
    local classes, starts, number_of = classes_of(ambiguous_in_path), { "" }, { [""] = 1 }
    for script in pairs(scripts) do
        for length = 1, #script do
            local start = sub(script, 1, length)
            if not number_of[start] then
                starts[#starts + 1] = start
                number_of[start] = #starts
            end
        end
    end
    local function step(name, code)
        local last, extension = rshift(name, 6), starts[band(name, 63)]
        if name == END_OF_PATH then
            return nil
        elseif code == QUESTION then
            return plain.can_end(last) and END_OF_PATH or nil
        elseif ambiguous_in_path[lshift(last, 8) + code] == 1 or code == SLASH and scripts[extension] then
            return nil
        end
        local number = code == DOT and 1 or extension and number_of[extension .. lower(char(code))] or 0
        return lshift(classes[code], 6) + number
    end
    local function is_end(name) return name == END_OF_PATH end
    local function last_of(name) return rshift(name, 6) end
    return new_shape(0, step, is_end, last_of, function(name) return is_end(name) or plain.can_end(last_of(name)) end)
end

-- The shape of pairs: the class of the last byte * 16 + what is read. In a key that is the number of letters of `file`
-- with which it starts. It stops at keys that some server may read as `file`, and at = in a value.
local FILE, OTHER_KEY, VALUE, START_OF_VALUE = "file", 7, 8, 9
local function pairs_shape()
    local classes = classes_of(ambiguous_in_value)
    local function part_behind(part, code)
        if part >= VALUE then
            return VALUE
        elseif part == OTHER_KEY or byte(FILE, part + 1) == byte(lower(char(code))) then
            return part == OTHER_KEY and part or part + 1
        end
        local may_be_file = part == 0 and can_name_file[code] or part == #FILE and (code == OPENING or code == CLOSING)
        return not may_be_file and OTHER_KEY or nil
    end
    local function step(name, code)
        local last, part = rshift(name, 4), band(name, 15)
        if code == AND then
            return can_end_value[last] and 0 or nil
        elseif code == EQUALS then
            return can_end_value[last] and part ~= #FILE and part < VALUE and START_OF_VALUE or nil
        end
        local behind = ambiguous_in_value[lshift(last, 8) + code] == 0 and part_behind(part, code)
        return behind and lshift(classes[code], 4) + behind or nil
    end
    local function is_end(name) return name == 0 or name == START_OF_VALUE end
    local function last_of(name) return rshift(name, 4) end
    return new_shape(0, step, is_end, last_of, function(name) return can_end_value[last_of(name)] end)
end

-- The shape of JSON: the class of the last byte in a string, or where strings start and outside of them.
local OUTSIDE, START_OF_STRING = -1, -2
local function json_shape()
    local classes = classes_of(ambiguous_in_value)
    local function step(name, code)
        if name == OUTSIDE then
            return code == QUOTE and START_OF_STRING or is_outside_of_strings[code] and OUTSIDE or nil
        end
        local last = name == START_OF_STRING and 0 or name
        if code == QUOTE then
            return can_end_value[last] and OUTSIDE or nil
        end
        return ambiguous_in_value[lshift(last, 8) + code] == 0 and classes[code] or nil
    end
    local function is_end(name) return name < 0 end
    local function last_of(name) return name end
    return new_shape(OUTSIDE, step, is_end, last_of, function(name) return name == OUTSIDE end)
end

-- The machine of base64: the number of characters, 6 at most, the number of bits that are not decoded, and these bits. Behind
-- the start of JSON, whose letters may be above ASCII, nothing is decoded. It ignores =. Its table `is_text` has 1 for states
-- behind base64 of printable ASCII or with the start of JSON.
local NOT_BASE64, SHORTEST, JSON = -1, base64.SHORTEST, lshift(1, 12)
local function base64_machine()
    local values = base64.values
    local starts_json = {}
    for pair in pairs(base64.starts_json) do
        starts_json[lshift(values[rshift(pair, 8)], 6) + values[band(pair, 255)]] = true
    end
    local function step(name, code)
        local count, size, bits, value = band(rshift(name, 9), 7), band(rshift(name, 6), 7), band(name, 63), values[code]
        if name == NOT_BASE64 or code == EQUALS then
            return name
        elseif value == base64.NONE then
            return NOT_BASE64
        end
        local json = (band(name, JSON) ~= 0 or count == 1 and starts_json[lshift(bits, 6) + value]) and JSON or 0
        size, bits = size + 6, bor(lshift(bits, 6), value)
        if size >= 8 then
            size = size - 8
            local decoded = rshift(bits, size)
            if json == 0 and (decoded < 0x20 or decoded > 0x7E) then
                return NOT_BASE64
            end
            bits = band(bits, lshift(1, size) - 1)
        end
        return json + lshift(math.min(count + 1, SHORTEST), 9) + lshift(size, 6) + (json == 0 and bits or 0)
    end
    local next_state, names = machine.build(0, step)
    local is_text = ffi.new("int32_t[?]", #names + 1)
    for state, name in ipairs(names) do
        local is_long = name ~= NOT_BASE64 and band(rshift(name, 9), 7) == SHORTEST
        is_text[state] = is_long and band(rshift(name, 6), 7) ~= 6 and 1 or 0
    end
    return { next = next_state, is_text = is_text }
end

return {
    ambiguous_in_value = ambiguous_in_value,
    can_end_value = can_end_value,
    path = path_shape(),
    pairs = pairs_shape(),
    json = json_shape(),
    base64 = base64_machine(),
}
