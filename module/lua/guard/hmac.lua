-- Calls libcrypto, which an nginx with TLS links, for SHA-256, HMAC-SHA-256 and random bytes.

local ffi = require("ffi")

local error, ipairs, pcall, tonumber = error, ipairs, pcall, tonumber
local ffi_string = ffi.string

ffi.cdef([[
const void *EVP_sha256(void);
unsigned char *HMAC(const void *md, const void *key, int key_len, const unsigned char *data, size_t data_len,
    unsigned char *out, unsigned int *out_len);
unsigned char *SHA256(const unsigned char *data, size_t data_len, unsigned char *out);
int RAND_bytes(unsigned char *out, int len);
]])

local _M = {}

local DIGEST_BYTES = 32

-- Names of libcrypto in OpenSSL 3, in 1.1, and in the development files. An nginx without TLS does not link it.
local LIBRARIES = { "libcrypto.so.3", "libcrypto.so.1.1", "crypto" }

local function has_hmac(library)
    return pcall(function() return library.HMAC end)
end

local function find_library()
    if has_hmac(ffi.C) then
        return ffi.C
    end
    for _, name in ipairs(LIBRARIES) do
        local found, library = pcall(ffi.load, name)
        if found and has_hmac(library) then
            return library
        end
    end
    error("guard needs libcrypto (OpenSSL), which is neither linked into this nginx nor installed")
end

local loaded

-- Returns libcrypto. Finds it at first use, so that without it nginx can use the response modes that sign nothing.
local function crypto()
    loaded = loaded or find_library()
    return loaded
end

local digest = ffi.new("unsigned char[?]", DIGEST_BYTES)
local digest_len = ffi.new("unsigned int[1]")

-- Returns the HMAC-SHA-256 (RFC 2104), 32 bytes.
function _M.sha256(key, message)
    if crypto().HMAC(crypto().EVP_sha256(), key, #key, message, #message, digest, digest_len) == nil then
        error("HMAC-SHA-256 failed")
    end
    return ffi_string(digest, digest_len[0])
end

function _M.digest(message)
    crypto().SHA256(message, #message, digest)
    return ffi_string(digest, DIGEST_BYTES)
end

-- Returns `n` bytes from a cryptographic random generator.
function _M.random(n)
    local out = ffi.new("unsigned char[?]", n)
    if tonumber(crypto().RAND_bytes(out, n)) ~= 1 then
        error("no random bytes")
    end
    return ffi_string(out, n)
end

-- Whether two strings are equal, in constant time.
function _M.equal(a, b)
    if #a ~= #b then
        return false
    end
    local difference = 0
    for i = 1, #a do
        difference = bit.bor(difference, bit.bxor(a:byte(i), b:byte(i)))
    end
    return difference == 0
end

return _M
