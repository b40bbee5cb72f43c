-- Presets of networks, which a list of networks may name.

local presets = require("guard.policy.tables").presets

local _M = { find = function(name) return presets[name] end }

-- Returns a list in which the networks of presets replace their names.
function _M.expand(list)
    local expanded = {}
    for _, entry in ipairs(list) do
        local preset = presets[entry]
        for _, network in ipairs(preset and preset.networks or { entry }) do
            expanded[#expanded + 1] = network
        end
    end
    return expanded
end

return _M
