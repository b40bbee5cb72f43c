-- Keeps what was found about texts that clients send again and again, such as targets and User-Agents.

local _M = {}

-- Forgets all texts.
function _M.forget(cache)
    cache.values, cache.count = {}, 0
end

-- Returns a cache of at most `most` texts of at most `longest` bytes.
function _M.new(most, longest)
    local cache = { most = most, longest = longest }
    _M.forget(cache)
    return cache
end

-- Returns what is kept for a text, or nil.
function _M.recall(cache, text)
    return cache.values[text]
end

-- Keeps a value, which is not nil, for a text. One text more than `most` replaces them all, because no order of the texts is
-- kept: each of them is then read once more.
function _M.keep(cache, text, value)
    if #text > cache.longest then
        return
    elseif cache.values[text] == nil then
        if cache.count == cache.most then
            _M.forget(cache)
        end
        cache.count = cache.count + 1
    end
    cache.values[text] = value
end

return _M
