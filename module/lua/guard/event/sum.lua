-- Counts events without a line, in total and for a bounded number of clients.

local limits = require("guard.tables").limits

local pairs = pairs
local min = math.min
local sort = table.sort

-- Sorts by descending number of events, then by name.
local function sorts_before(one, other)
    if one.count ~= other.count then
        return one.count > other.count
    end
    return one.client < other.client
end

-- Returns a counter of events. Only blocked requests count for a client, because a reader of the events may ban that
-- client. Requests of banned clients do not: their bans would never end. `result()` returns the total count, the clients with the most events, each `{ client =, count = }`, and the
-- count of all other events.
return function()
    local total, by_network, networks = 0, {}, 0
    local sum = {}

    function sum.count()
        return total
    end

    function sum.forget()
        total, by_network, networks = 0, {}, 0
    end

    function sum.add(event, network)
        total = total + 1
        if event.mode == "detect" or event.reason == "banned" or network == "" then
            return
        end
        local entry = by_network[network]
        if not entry then
            if networks >= limits.event_sum_clients then
                return
            end
            entry, networks = { client = event.client_ip, count = 0 }, networks + 1
            by_network[network] = entry
        elseif entry.client ~= event.client_ip then
            entry.client = network -- the count now includes two addresses, so it names their network
        end
        entry.count = entry.count + 1
    end

    function sum.result()
        local clients, named, others = {}, {}, total
        for _, entry in pairs(by_network) do
            clients[#clients + 1] = entry
        end
        sort(clients, sorts_before)
        for i = 1, min(#clients, limits.event_sum_names) do
            named[i], others = clients[i], others - clients[i].count
        end
        return total, named, others
    end

    return sum
end
