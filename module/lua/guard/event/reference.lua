-- The random reference of an event.

local hmac = require("guard.hmac")
local reference = require("guard.texts").reference

local gsub, sub = string.gsub, string.sub

-- The alphabet has 32 characters, so every one is equally likely.
local function character(byte)
    local index = byte:byte() % #reference.alphabet + 1
    return sub(reference.alphabet, index, index)
end

local has_random = pcall(hmac.random, 1)

-- Returns a new reference, or nil where nginx has no library with random bytes.
return function()
    return has_random and gsub(hmac.random(reference.characters), ".", character) or nil
end
