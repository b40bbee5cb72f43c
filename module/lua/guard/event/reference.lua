-- Creates the random reference of an event. The visitor sees it, and the operator finds the event by it.

local hmac = require("guard.hmac")
local reference = require("guard.texts").reference

local gsub, sub = string.gsub, string.sub

-- Returns a character of the alphabet for a random byte. The alphabet has 32 characters, so all are equally likely.
local function character(byte)
    local index = byte:byte() % #reference.alphabet + 1
    return sub(reference.alphabet, index, index)
end

local has_random = pcall(hmac.random, 1)

-- Returns a new reference, or nil when nginx finds no libcrypto, which has the random generator.
return function()
    return has_random and gsub(hmac.random(reference.characters), ".", character) or nil
end
