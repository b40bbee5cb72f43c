-- Sets of printable ASCII characters: tables with `true` at the codes of their members.

local find = string.find

local _M = {}

local FIRST, LAST = 0x20, 0x7E

-- Returns the printable characters that a Lua pattern matches.
function _M.matching(pattern)
    return _M.where(function(code)
        return find(string.char(code), pattern) ~= nil
    end)
end

function _M.where(accepts)
    local set = {}
    for code = FIRST, LAST do
        if accepts(code) then
            set[code] = true
        end
    end
    return set
end

function _M.range(first, last)
    return _M.where(function(code)
        return first <= code and code <= last
    end)
end

function _M.add(set, other)
    for code in pairs(other) do
        set[code] = true
    end
end

function _M.complement(set)
    return _M.where(function(code)
        return not set[code]
    end)
end

-- Returns the set with each letter in both cases.
function _M.ignoring_case(set)
    local out = {}
    for code in pairs(set) do
        local character = string.char(code)
        out[character:lower():byte()] = true
        out[character:upper():byte()] = true
    end
    return out
end

function _M.intersects(one, other)
    for code in pairs(one) do
        if other[code] then
            return true
        end
    end
    return false
end

_M.everything = _M.range(FIRST, LAST)

return _M
