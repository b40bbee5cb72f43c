-- Folds to ASCII: overlong UTF-8, which RFC 3629 3 forbids, and characters that servers convert to ASCII (Unicode TR
-- 46).

local byte, char, find, sub = string.byte, string.char, string.find, string.sub
local band, bor, lshift = bit.band, bit.bor, bit.lshift

local DOT, SLASH, BACKSLASH = 0x2E, 0x2F, 0x5C

-- Characters that servers or URL parsers convert to ASCII, by code point.
local look_alikes = {
    [0x2044] = "/", [0x2215] = "/", [0x29F8] = "/", [0xEFC8] = "/",
    [0x2216] = "\\", [0x29F5] = "\\", [0xFE68] = "\\", [0xF025] = "\\",
    [0x2024] = ".", [0x2025] = "..", [0x2026] = "...",
    [0x3002] = ".", [0xFF61] = ".", [0x24EA] = "0",
}

-- Adds full-width forms, or circled digits and letters.
local function add_range(first, last, to)
    for code_point = first, last do
        look_alikes[code_point] = char(byte(to) + code_point - first)
    end
end

add_range(0xFF01, 0xFF5E, "!")
add_range(0x2460, 0x2468, "1")
add_range(0x24B6, 0x24CF, "A")
add_range(0x24D0, 0x24E9, "a")

local function is_separator(code)
    return code == DOT or code == SLASH or code == BACKSLASH
end

local function is_continuation(code)
    return code ~= nil and code >= 0x80 and code <= 0xBF
end

-- Folds a lead byte C0 or C1 and the byte after it. When the second byte is not a continuation byte, some decoders drop
-- its two high bits and others read it verbatim. Such a pair is folded only to a dot, a slash or a backslash.
local function fold_two_bytes(text, at)
    local second = byte(text, at + 1)
    if not second then
        return nil
    end
    local value = bor(lshift(band(byte(text, at), 0x1F), 6), band(second, 0x3F))
    if is_continuation(second) or is_separator(value) then
        return char(value), 2
    elseif is_separator(second) then
        return char(second), 2
    end
end

-- Returns a decoder for overlong sequences of `length` bytes with the seven bits of an ASCII character.
local function overlong_reader(length)
    return function(text, at)
        for i = 1, length - 3 do
            if byte(text, at + i) ~= 0x80 then
                return nil
            end
        end
        local high, low = byte(text, at + length - 2, at + length - 1)
        if (high == 0x80 or high == 0x81) and is_continuation(low) then
            return char(bor(lshift(band(high, 1), 6), band(low, 0x3F))), length
        end
    end
end

-- Decodes a well-formed sequence of three bytes, which can be a look-alike of an ASCII character.
local function fold_three_bytes(text, at)
    local lead, second, third = byte(text, at, at + 2)
    if not (is_continuation(second) and is_continuation(third)) then
        return nil
    end
    local code_point = bor(lshift(band(lead, 0x0F), 12), lshift(band(second, 0x3F), 6), band(third, 0x3F))
    local folded = look_alikes[code_point]
    if folded then
        return folded, 3
    end
end

local readers = {
    [0xC0] = fold_two_bytes, [0xC1] = fold_two_bytes, [0xE0] = overlong_reader(3),
    [0xF0] = overlong_reader(4), [0xF8] = overlong_reader(5), [0xFC] = overlong_reader(6),
}
for lead = 0xE1, 0xEF do
    readers[lead] = fold_three_bytes
end

-- Folds in one pass from left to right.
return function(text)
    local at = find(text, "[\192-\252]")
    if not at then
        return text
    end
    local out, from = {}, 1
    while at do
        local read = readers[byte(text, at)]
        local folded, taken
        if read then
            folded, taken = read(text, at)
        end
        if folded then
            out[#out + 1] = sub(text, from, at - 1)
            out[#out + 1] = folded
            from = at + taken
        end
        at = find(text, "[\192-\252]", folded and from or at + 1)
    end
    out[#out + 1] = sub(text, from)
    return table.concat(out)
end
