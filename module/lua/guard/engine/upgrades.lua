-- Protocols to which the connection of a request may switch (docs/engine.md, "Upgrades").

local bytes = require("guard.engine.bytes")
local limits = require("guard.tables").limits

local concat = table.concat
local gmatch, lower, sub = string.gmatch, string.lower, string.sub
local blanks = bytes.set(" \t")

local _M = {}

-- Returns the protocols of a policy as keys in lower case.
function _M.set(protocols)
    local set = {}
    for _, protocol in ipairs(protocols) do
        set[lower(protocol)] = true
    end
    return set
end

-- Returns the entries of a list header (RFC 9110 5.6.1) that are not empty. A header is nil, a text, or a list of lines.
local function entries(text)
    local list = {}
    for entry in gmatch(text, "[^,]+") do
        entry = bytes.strip(entry, blanks)
        if entry ~= "" then
            list[#list + 1] = entry
        end
    end
    return list
end

local function text_of(lines)
    return type(lines) == "table" and concat(lines, ",") or lines or ""
end

-- Returns the entries that are kept as one line, or nil when none is or when the text is too long.
local function keep(lines, longest, is_kept)
    local text, kept = text_of(lines), {}
    for _, entry in ipairs(#text <= longest and entries(text) or {}) do
        if is_kept(entry) then
            kept[#kept + 1] = entry
        end
    end
    return kept[1] and concat(kept, ", ") or nil
end

-- Returns the first protocol that is not in `allowed`, or nil. Of lines that are too long it returns the first bytes.
function _M.refused(lines, allowed)
    local text = text_of(lines)
    if #text > limits.upgrade_bytes then
        return sub(text, 1, limits.upgrade_bytes)
    end
    for _, protocol in ipairs(entries(text)) do
        if not allowed[lower(protocol)] then
            return protocol
        end
    end
end

-- Returns Upgrade and Connection without the protocols that are not in `allowed`, and whether HTTP2-Settings stays. It
-- belongs to h2c, and the option `upgrade` in Connection to the last protocol.
function _M.kept(upgrade, connection, allowed)
    local protocols = keep(upgrade, limits.upgrade_bytes, function(protocol) return allowed[lower(protocol)] end)
    local options = keep(connection, limits.connection_bytes, function(option)
        local name = lower(option)
        return not (name == "http2-settings" and not allowed.h2c or name == "upgrade" and not protocols)
    end)
    return protocols, options, allowed.h2c
end

return _M
