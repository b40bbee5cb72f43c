-- Reads the headers of a request as nginx has them, without a string or a table for each: few headers matter to the guard.
-- A name is recognized by its length and its ends. A header whose name has the same ones only costs an evaluation.

local ffi = require("ffi")

local get_request = require("resty.core.base").get_request
local cache = require("guard.cache")
local is_line_clean = require("guard.engine.skim").is_line_clean
require("resty.core.request") -- declares the functions of C that this file calls

local band, bor, bxor, lshift, rshift = bit.band, bit.bor, bit.bxor, bit.lshift, bit.rshift
local byte, lower, match = string.byte, string.lower, string.match
local C = ffi.C

-- Maximum number of headers that are read here. Browsers send about 15.
local MOST_HEADERS = 64
-- Names that the loop reads behind those of the request, because LuaJIT compiles no loop of one round.
local PADDING = 3

local headers = ffi.new("ngx_http_lua_ffi_table_elt_t[?]", MOST_HEADERS + PADDING)
local padding = ffi.new("ngx_http_lua_ffi_table_elt_t[?]", PADDING)
local PADDING_BYTES = ffi.sizeof(padding)
for i = 0, PADDING - 1 do
    -- Its own bytes, which are not freed: FFI does not keep what a pointer in a structure points to.
    padding[i].key.data, padding[i].key.len = ffi.cast("uint8_t *", padding), 1
end
local is_truncated = ffi.new("int[1]")

-- What a header means for the guard. The bits above these ones are the number of its automaton, from 1.
local SUSPECT, BODY, UPGRADE, LINE = 1, 2, 4, 8
local USE_BITS = 4
local MOST_AUTOMATA = lshift(1, 16 - USE_BITS) - 1

-- Number of slots for names. With it, no name that the guard knows shares its slot with one of 150 usual names.
local SLOTS = 2048

local function slot_of(first, length, last)
    return band(bxor(lshift(first, 2), lshift(length, 6), last), SLOTS - 1)
end

local DASH, UNDERSCORE = byte("-"), byte("_")

-- Returns the bytes for one byte at an end of a name: CGI does not distinguish dashes and underscores.
local function spellings_of(code)
    return (code == DASH or code == UNDERSCORE) and { DASH, UNDERSCORE } or { code }
end

local function add(uses, name, use)
    for _, first in ipairs(spellings_of(byte(lower(name)))) do
        for _, last in ipairs(spellings_of(byte(lower(name), -1))) do
            local slot = slot_of(first, #name, last)
            local has_line = band(use, LINE) > 0 and band(uses[slot], LINE) > 0
            uses[slot] = has_line and bor(band(uses[slot], BODY + UPGRADE), SUSPECT) or bor(uses[slot], use)
        end
    end
end

-- Returns the uses of names, by slot.
local function uses_of(policy, compiled)
    local uses = ffi.new("uint16_t[?]", SLOTS)
    add(uses, "upgrade", UPGRADE)
    add(uses, "content-length", BODY)
    add(uses, "transfer-encoding", BODY)
    for i, target in ipairs(compiled.lines) do
        local is_searched = i <= MOST_AUTOMATA and not compiled.line_filters[i].has_rule_without_literal
        add(uses, match(target, "^header:(.*)$"), is_searched and bor(LINE, lshift(i, USE_BITS)) or SUSPECT)
    end
    for _, name in ipairs(policy.check_headers) do
        add(uses, name, SUSPECT)
    end
    return uses
end

-- Gets the headers of the current request from nginx. Returns their number, or nil when there are too many.
local function fetch()
    local request = get_request()
    local count = C.ngx_http_lua_ffi_req_get_headers_count(request, 0, is_truncated)
    if count < 0 or count > MOST_HEADERS then
        return nil
    elseif count > 0 then
        C.ngx_http_lua_ffi_req_get_headers(request, headers, count, 0)
    end
    ffi.copy(headers + count, padding, PADDING_BYTES)
    return count
end

-- The headers whose lines are searched, and their uses.
local line_at, line_use = ffi.new("uint8_t[?]", MOST_HEADERS + PADDING), ffi.new("uint16_t[?]", MOST_HEADERS + PADDING)

-- Returns the uses of all headers in one number, and the number of lines to search. For an empty name, it reads the byte in
-- front of it, in the memory of the request: any use may be found. Branches at no header, because each
-- branch would leave the code that LuaJIT compiles for the loop.
local function find_uses(uses, count)
    local found, lines = 0, 0
    for i = 0, count + PADDING - 1 do
        local name = headers[i].key
        local use = uses[slot_of(name.data[0], name.len, name.data[name.len - 1])]
        line_at[lines], line_use[lines] = i, use
        found, lines = bor(found, use), lines + band(rshift(use, USE_BITS - 1), 1)
    end
    return found, lines
end

-- Number and bytes of the lines that are kept for each header of a rule: at most 80 KB. Many clients have the same
-- User-Agent, and each sends its cookies again.
local ALL_LINES, LONGEST_LINE = 256, 256

-- Returns nil when a rule may match a line, which is an FFI string. Otherwise returns whether a rule may match that needs a
-- literal in the body too.
local function find_in_line(filter, line)
    if not is_line_clean(filter.automaton, line.data, line.len) then
        return nil
    end
    local second = filter.body_automaton
    return second ~= nil and not is_line_clean(second, line.data, line.len)
end

-- Returns what find_in_line returns, without reading a line again that is kept.
local function read_line(filter, kept, line)
    if line.len > LONGEST_LINE then
        return find_in_line(filter, line)
    end
    local text = ffi.string(line.data, line.len)
    local has_body_rule = cache.recall(kept, text)
    if has_body_rule == nil then
        has_body_rule = find_in_line(filter, line)
        if has_body_rule ~= nil then
            cache.keep(kept, text, has_body_rule)
        end
    end
    return has_body_rule
end

-- Returns whether no rule matches a line, except rules that need a literal in the body too. Also returns whether one of these
-- may match.
local function read_lines(filters, caches, lines)
    local has_body_rule = false
    for i = 0, lines - 1 do
        local number = rshift(line_use[i], USE_BITS)
        local found = read_line(filters[number], caches[number], headers[line_at[i]].value)
        if found == nil then
            return false, false
        end
        has_body_rule = has_body_rule or found
    end
    return true, has_body_rule
end

-- Returns a function that reports whether no header can block the request, whether the request announces a body, whether it
-- asks for another protocol, and whether a rule of a header can match that needs a literal in the body too.
return function(policy, compiled)
    local uses, filters, caches = uses_of(policy, compiled), compiled.line_filters, {}
    for i in ipairs(filters) do
        caches[i] = cache.new(ALL_LINES, LONGEST_LINE)
    end
    return function()
        local count = fetch()
        if not count then
            return false, true, true, false
        end
        local found, lines = find_uses(uses, count)
        local is_clean, has_body_rule = read_lines(filters, caches, lines)
        is_clean = is_clean and band(found, SUSPECT) == 0
        return is_clean, band(found, BODY) > 0, band(found, UPGRADE) > 0, has_body_rule
    end
end
