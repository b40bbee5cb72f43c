-- The ranges of a ban list as numbers, in memory outside of the heap of LuaJIT: half of the bytes of the file, which
-- contract/policy/ban-list.ts describes.

local ffi = require("ffi")
local limits = require("guard.tables").limits

local C = ffi.C
local band, bor, bxor, lshift, rshift = bit.band, bit.bor, bit.bxor, bit.lshift, bit.rshift
local byte, format, min = string.byte, string.format, math.min

ffi.cdef([[
void *mmap(void *address, size_t size, int protection, int flags, int fd, long offset);
int munmap(void *memory, size_t size);
]])

local _M = {}

-- The bytes of a range: two lines of 32 digits, the second one with 8 further digits for the end of the ban.
local RANGE_BYTES = 32 + 1 + 32 + 1 + 8 + 1
_M.RANGE_BYTES = RANGE_BYTES
-- Ranges that are checked between two pauses: a tenth of a millisecond. Blocks of a checksum have a multiple of it.
_M.PIECE_RANGES = limits.ban_list_block / 5

-- A range in memory: four numbers for the first address, four for the last one, and one for the end of the ban.
local LAST, UNTIL, WORDS = 4, 8, 9
local WORD_BYTES = 4

-- PROT_READ | PROT_WRITE, and MAP_PRIVATE | MAP_ANONYMOUS. malloc would keep the memory of freed lists.
local READ_AND_WRITE = 0x3
local PRIVATE_MEMORY = 0x2 + (ffi.os ~= "Linux" and 0x1000 or ffi.arch:find("mips", 1, true) and 0x800 or 0x20)

-- CRC-32 of four bytes at a time: the entry k * 256 + n is the checksum of the byte n before k zeros.
local CRC = ffi.new("int32_t[1024]")
for value = 0, 255 do
    local sum = value
    for k = 0, 3 do
        for _ = 1, 8 do
            sum = band(sum, 1) == 1 and bxor(rshift(sum, 1), 0xEDB88320) or rshift(sum, 1)
        end
        CRC[k * 256 + value] = sum
    end
end

-- The value of each digit. Other bytes have one with a further bit.
local NO_DIGIT = 0x10
local DIGITS = ffi.new("uint8_t[256]")
for value = 0, 255 do
    local text = string.char(value)
    DIGITS[value] = text:find("[0-9a-f]") and tonumber(text, 16) or NO_DIGIT
end
local LINE_FEED, SPACE = byte("\n"), byte(" ")

local function crc_of_byte(sum, value)
    return bxor(CRC[band(bxor(sum, value), 255)], rshift(sum, 8))
end

-- Returns the checksum behind the bytes of a text, before its last inversion.
local function crc_of(text)
    local sum = -1
    for at = 1, #text do
        sum = crc_of_byte(sum, byte(text, at))
    end
    return sum
end

-- Reads four digits. Returns their number, the checksum behind them, and the bits of all digits so far.
local function read_four(text, at, sum, seen)
    local a, b, c, d = text[at], text[at + 1], text[at + 2], text[at + 3]
    sum = bxor(sum, bor(a, lshift(b, 8), lshift(c, 16), lshift(d, 24)))
    sum = bxor(CRC[768 + band(sum, 255)], CRC[512 + band(rshift(sum, 8), 255)], CRC[256 + band(rshift(sum, 16), 255)],
        CRC[rshift(sum, 24)])
    a, b, c, d = DIGITS[a], DIGITS[b], DIGITS[c], DIGITS[d]
    return bor(lshift(a, 12), lshift(b, 8), lshift(c, 4), d), sum, bor(seen, a, b, c, d)
end

local function read_word(text, at, sum, seen)
    local high, low
    high, sum, seen = read_four(text, at, sum, seen)
    low, sum, seen = read_four(text, at + 4, sum, seen)
    return high * 65536 + low, sum, seen
end

-- Reads an address into four words. Loops here would cost more than all else.
local function read_address(text, at, words, to, sum, seen)
    words[to], sum, seen = read_word(text, at, sum, seen)
    words[to + 1], sum, seen = read_word(text, at + 8, sum, seen)
    words[to + 2], sum, seen = read_word(text, at + 16, sum, seen)
    words[to + 3], sum, seen = read_word(text, at + 24, sum, seen)
    return sum, seen
end

-- Reads ranges. Returns the checksum behind them, or nil when a byte is wrong.
local function read_ranges(text, count, words, to, sum)
    for at = 0, (count - 1) * RANGE_BYTES, RANGE_BYTES do
        local seen
        sum, seen = read_address(text, at, words, to, sum, 0)
        sum, seen = read_address(text, at + 33, words, to + LAST, crc_of_byte(sum, text[at + 32]), seen)
        words[to + UNTIL], sum, seen = read_word(text, at + 66, crc_of_byte(sum, text[at + 65]), seen)
        sum = crc_of_byte(sum, text[at + 74])
        if seen >= NO_DIGIT or text[at + 32] ~= LINE_FEED or text[at + 65] ~= SPACE or text[at + 74] ~= LINE_FEED then
            return nil
        end
        to = to + WORDS
    end
    return sum
end

-- Returns a number below, at or above zero, as the address in memory is below, at or above the other one.
local function compare(words, at, a, b, c, d)
    if words[at] ~= a then
        return words[at] - a
    elseif words[at + 1] ~= b then
        return words[at + 1] - b
    elseif words[at + 2] ~= c then
        return words[at + 2] - c
    end
    return words[at + 3] - d
end

local function compare_within(words, left, right)
    return compare(words, left, words[right], words[right + 1], words[right + 2], words[right + 3])
end

-- Whether these ranges are sorted and do not overlap each other or the one before them.
local function are_sorted(words, from, to)
    for at = from * WORDS, (to - 1) * WORDS, WORDS do
        if compare_within(words, at, at + LAST) > 0
            or at > 0 and compare_within(words, at - WORDS + LAST, at) >= 0 then
            return false
        end
    end
    return true
end

local function sum_text(sum)
    return bit.tohex(bxor(sum, -1), 8)
end

local methods = {}
local metatable = { __index = methods }

-- Returns the address in the form of `has`. `bytes`: 4 for IPv4, 16 for IPv6.
function _M.key(bytes)
    local words = #bytes == 4 and { 0, 0, 0xffff } or {} -- ::ffff:0:0/96
    for i = 1, #bytes, 4 do
        words[#words + 1] = ((bytes[i] * 256 + bytes[i + 1]) * 256 + bytes[i + 2]) * 256 + bytes[i + 3]
    end
    return words
end

-- Whether a ban of an address is in force. `key` is the address, `now` seconds since 1970.
function methods:has(key, now)
    local words, low, high = self.words, 0, self.count
    local a, b, c, d = key[1], key[2], key[3], key[4]
    while low < high do
        local middle = rshift(low + high, 1)
        if compare(words, middle * WORDS, a, b, c, d) <= 0 then
            low = middle + 1
        else
            high = middle
        end
    end
    local at = (low - 1) * WORDS
    if low == 0 or compare(words, at + LAST, a, b, c, d) < 0 then
        return false
    end
    return now < min(words[at + UNTIL], self.written + limits.ban_list_seconds)
end

-- Releases the memory. The table must not be used any more.
function methods:free()
    C.munmap(self.memory, self.reserved)
    self.words, self.count = nil, 0
end

-- Returns when a file was written, seconds since 1970, or nil for a first line of another form.
function _M.written(first_line)
    local written = first_line:match("^guard%-bans 1 (%x+)\n$")
    return written and written == written:lower() and tonumber(written, 16)
end

-- Creates an empty table for a number of ranges. Returns nil and a reason when there is none.
function _M.new(capacity, first_line)
    local written = _M.written(first_line)
    if not written then
        return nil, "its first line is another one: its version may be newer"
    end
    local reserved = capacity * WORDS * WORD_BYTES + 1 -- mmap refuses 0 bytes
    local memory = C.mmap(nil, reserved, READ_AND_WRITE, PRIVATE_MEMORY, -1, 0)
    if ffi.cast("intptr_t", memory) == -1 then
        return nil, "there is no memory for it"
    end
    return setmetatable({
        memory = memory,
        words = ffi.cast("uint32_t *", memory),
        reserved = reserved,
        written = written,
        first_line = first_line,
        count = 0,
        sum = crc_of(first_line), -- of the current block
    }, metatable)
end

-- Appends ranges. Returns true, or nil and a reason.
function methods:append(text, count)
    local start, stop = self.count, self.count + count
    if start > 0 and start % limits.ban_list_block == 0 then
        self.sum = crc_of(sum_text(self.sum))
    end
    self.sum = read_ranges(text, count, self.words, start * WORDS, self.sum)
    if not self.sum then
        return nil, "a line has another form"
    elseif not are_sorted(self.words, start, stop) then
        return nil, "the ranges are not sorted, or overlap"
    end
    self.count = stop
    return true
end

-- Checks the whole table against the last line of its file. Returns true, or nil and a reason.
function methods:seal(last_line)
    if last_line ~= format("end %08x %s\n", self.count, sum_text(self.sum)) then
        return nil, "its count or its checksum is wrong"
    end
    self.edges = self.first_line .. last_line
    return true
end

return _M
