-- The table of keys as a tree: objects have `members` and their `names`, lists `entries`, mappings `values`.

local fields = require("guard.policy.tables").fields

local function below(node, name)
    if name == "*" then
        return node, "values"
    end
    node.members = node.members or {}
    node.names = node.names or {}
    return node.members, name
end

local function build()
    local root, nodes = { kind = "object" }, {}
    for _, field in ipairs(fields) do
        local outer, name = field.key:match("^(.*)%.([^.]+)$")
        local parent = outer and nodes[outer] or root
        name = name or field.key
        nodes[field.key] = field
        if name:sub(-2) == "[]" then
            nodes[field.key:sub(1, -3)].entries = field
        else
            local holder, slot = below(parent, name)
            holder[slot] = field
            if holder ~= parent then
                parent.names[#parent.names + 1] = name
            end
        end
    end
    return root
end

return build()
