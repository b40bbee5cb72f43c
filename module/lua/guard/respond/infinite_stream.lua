-- Mode infinite_stream: stream_size_mb MiB of pseudo-random bytes.

local ffi = require("ffi")
local hmac = require("guard.hmac")
local hold = require("guard.respond.hold")
local send = require("guard.respond.send")

local bxor, lshift, rshift = bit.bxor, bit.lshift, bit.rshift

local MIB = 1024 * 1024
local PIECE_BYTES = 65536
local WORDS = PIECE_BYTES / 8

local words = ffi.new("uint64_t[?]", WORDS)

-- Fills the piece from a state with xorshift64 (Marsaglia 2003): what does not compress costs the scanner most.
local function fill(state)
    for i = 0, WORDS - 1 do
        state = bxor(state, lshift(state, 13))
        state = bxor(state, rshift(state, 7))
        state = bxor(state, lshift(state, 17))
        words[i] = state
    end
    return state
end

local function new_state()
    return ffi.cast("const uint64_t *", hmac.random(8))[0] + 0ULL
end

return function(options)
    local response = options.response
    local length = response.stream_size_mb * MIB
    return hold.new(response, response.max_response_seconds, function(_, deadline)
        send.head(options, response.content_type, length)
        if ngx.req.get_method() == "HEAD" then
            return ngx.send_headers() ~= nil
        end
        local state, left, is_taken = new_state(), length, true
        while is_taken and left > 0 and ngx.now() < deadline do
            state = fill(state)
            is_taken, left = hold.write(ffi.string(words, PIECE_BYTES)), left - PIECE_BYTES
        end
        return is_taken and left == 0
    end)
end
