-- The ranges of a ban list: the bytes of the file between its first and its last line, in memory outside of the heap of
-- LuaJIT. contract/policy/ban-list.ts has their form.

local ffi = require("ffi")
local limits = require("guard.tables").limits

local C = ffi.C
local band, bxor, rshift = bit.band, bit.bxor, bit.rshift
local byte, format, min, rep = string.byte, string.format, math.min, string.rep

ffi.cdef([[
void *mmap(void *address, size_t size, int protection, int flags, int fd, long offset);
int munmap(void *memory, size_t size);
int memcmp(const void *left, const void *right, size_t count);
]])

local _M = {}

local ADDRESS_DIGITS, NUMBER_DIGITS = 32, 8
local END_AT = ADDRESS_DIGITS + 1
local UNTIL_AT = END_AT + ADDRESS_DIGITS + 1
local RANGE_BYTES = UNTIL_AT + NUMBER_DIGITS + 1
_M.RANGE_BYTES = RANGE_BYTES

-- PROT_READ | PROT_WRITE, and MAP_PRIVATE | MAP_ANONYMOUS. malloc would keep the memory of freed lists.
local READ_AND_WRITE = 0x3
local PRIVATE_MEMORY = 0x2 + (ffi.os ~= "Linux" and 0x1000 or ffi.arch:find("mips", 1, true) and 0x800 or 0x20)

-- Bytes that are checked between two pauses: a quarter of a millisecond.
local PIECE_BYTES = 874 * RANGE_BYTES
local BLOCK_BYTES = limits.ban_list_block * RANGE_BYTES

local CRC = ffi.new("uint32_t[256]")
for value = 0, 255 do
    local sum = value
    for _ = 1, 8 do
        sum = band(sum, 1) == 1 and bxor(rshift(sum, 1), 0xEDB88320) or rshift(sum, 1)
    end
    CRC[value] = sum
end

-- The class of each byte of a file, and the class that each byte of a range must have.
local DIGIT, OTHER = 1, 0
local CLASSES, FORM = ffi.new("uint8_t[256]"), ffi.new("uint8_t[?]", RANGE_BYTES)
for value = 0, 255 do
    CLASSES[value] = string.find(string.char(value), "[0-9a-f]") and DIGIT or OTHER
end
CLASSES[byte("\n")], CLASSES[byte(" ")] = 2, 3
do
    local range = rep("0", ADDRESS_DIGITS) .. "\n" .. rep("0", ADDRESS_DIGITS) .. " " .. rep("0", NUMBER_DIGITS) .. "\n"
    for at = 0, RANGE_BYTES - 1 do
        FORM[at] = CLASSES[byte(range, at + 1)]
    end
end

-- Returns the checksum behind the bytes of a text, before its last inversion.
local function crc_of(text)
    local sum = -1
    for at = 1, #text do
        sum = bxor(CRC[band(bxor(sum, byte(text, at)), 255)], rshift(sum, 8))
    end
    return sum
end

-- Continues a checksum with bytes. Returns nil when one of them has the wrong class.
local function crc_of_ranges(sum, bytes, from, to)
    local place = 0
    for at = from, to - 1 do
        local value = bytes[at]
        if CLASSES[value] ~= FORM[place] then
            return nil
        end
        place = place + 1
        if place == RANGE_BYTES then
            place = 0
        end
        sum = bxor(CRC[band(bxor(sum, value), 255)], rshift(sum, 8))
    end
    return sum
end

-- Compares two addresses. Pointers would be objects for each of 100,000 ranges.
local function compare(bytes, left, right)
    for i = 0, ADDRESS_DIGITS - 1 do
        local difference = bytes[left + i] - bytes[right + i]
        if difference ~= 0 then
            return difference
        end
    end
    return 0
end

-- Whether the ranges of these bytes are sorted and do not overlap each other or the one before them.
local function are_sorted(bytes, from, to)
    for at = from, to - 1, RANGE_BYTES do
        if compare(bytes, at, at + END_AT) > 0
            or at > 0 and compare(bytes, at - RANGE_BYTES + END_AT, at) >= 0 then
            return false
        end
    end
    return true
end

local function sum_text(sum)
    return bit.tohex(bxor(sum, -1), NUMBER_DIGITS)
end

-- Checks all ranges. Returns their checksum, or nil and a reason.
local function check(bytes, size, first_line, pause)
    local sum = first_line
    for block = 0, size == 0 and 0 or size - 1, BLOCK_BYTES do
        local crc, stop = crc_of(sum), min(size, block + BLOCK_BYTES)
        for at = block, stop - 1, PIECE_BYTES do
            local piece_end = min(stop, at + PIECE_BYTES)
            crc = crc_of_ranges(crc, bytes, at, piece_end)
            if not crc then
                return nil, "a line has another form"
            elseif not are_sorted(bytes, at, piece_end) then
                return nil, "the ranges are not sorted, or overlap"
            end
            pause()
        end
        sum = sum_text(crc)
    end
    return sum
end

local function number_at(bytes, at)
    return tonumber(ffi.string(bytes + at, NUMBER_DIGITS), 16)
end

local methods = {}
local metatable = { __index = methods }

-- Whether a ban of an address is in force. `key` is the address in 32 hexadecimal digits, `now` seconds since 1970.
function methods:has(key, now)
    local bytes, low, high = self.bytes, 0, self.count
    while low < high do
        local middle = rshift(low + high, 1)
        if C.memcmp(bytes + middle * RANGE_BYTES, key, ADDRESS_DIGITS) <= 0 then
            low = middle + 1
        else
            high = middle
        end
    end
    local at = (low - 1) * RANGE_BYTES
    if low == 0 or C.memcmp(bytes + at + END_AT, key, ADDRESS_DIGITS) < 0 then
        return false
    end
    return now < min(number_at(bytes, at + UNTIL_AT), self.written + limits.ban_list_seconds)
end

-- Releases the memory. The table must not be used any more.
function methods:free()
    C.munmap(self.bytes, self.reserved)
    self.bytes, self.count = nil, 0
end

-- Creates a table of this size. Its `bytes` must be filled, and `seal` must accept them.
function _M.new(size)
    local reserved = size + 1 -- mmap refuses 0 bytes
    local memory = C.mmap(nil, reserved, READ_AND_WRITE, PRIVATE_MEMORY, -1, 0)
    if ffi.cast("intptr_t", memory) == -1 then
        return nil, "there is no memory for it"
    end
    return setmetatable({ bytes = ffi.cast("uint8_t *", memory), size = size, reserved = reserved, count = 0 }, metatable)
end

-- Checks the table against the first and the last line of its file. Returns true, or nil and a reason. Calls `pause`
-- between two parts.
function methods:seal(first_line, last_line, pause)
    local written = first_line:match("^guard%-bans 1 (%x+)\n$")
    if not written or written ~= written:lower() then
        return nil, "its first line is another one: its version may be newer"
    end
    local sum, reason = check(self.bytes, self.size, first_line, pause)
    if not sum then
        return nil, reason
    end
    local count = self.size / RANGE_BYTES
    if last_line ~= format("end %08x %s\n", count, sum) then
        return nil, "its count or its checksum is wrong"
    end
    self.written, self.count, self.edges = tonumber(written, 16), count, first_line .. last_line
    return true
end

return _M
