-- Tests of security events, under LuaJIT and without nginx:
--   luajit module/lua/t/events.lua
-- Needs lua-cjson, and PCRE or PCRE2.

local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")

local cjson = require("cjson")
local engine = require("guard.engine")
local new_budget = require("guard.event.budget")
local new_sum = require("guard.event.sum")
local files = require("guard.event.file")
local line = require("guard.event.line")
local limits = require("guard.tables").limits
local network_of = require("guard.network")
local new_reference = require("guard.event.reference")

local check, read = harness.check, harness.read

local function example(changes)
    local event = {
        time = 1795219323.004, mode = "enforce", client_ip = "192.0.2.1", method = "GET", host = "example.com", path = "/.env",
        request_uri = "/.env?a=1", target = "path", candidate = "/.env", rule_id = "env-file", pattern = [[(?i)/\.env]],
        reason = "block_pattern_match", action = "text", status = 403, user_agent = "curl/8",
        reference = "7K3QF2M9TD",
    }
    for key, value in pairs(changes or {}) do
        event[key] = value
    end
    return event
end

check("a line holds the fields in order", '{"type":"guard_block","timestamp":"2026-11-21T00:02:03.004Z","gateway":"nginx",'
    .. '"mode":"enforce","client_ip":"192.0.2.1","method":"GET","host":"example.com","path":"/.env","request_uri":"/.env?a=1",'
    .. '"target":"path","candidate":"/.env","rule_id":"env-file","pattern":"(?i)/\\\\.env","reason":"block_pattern_match",'
    .. '"action":"text","status":403,"user_agent":"curl/8","reference":"7K3QF2M9TD"}\n', line.of(example()))

check("the type of an event in mode detect", '{"type":"guard_detect",', line.of(example({ mode = "detect" })):sub(1, 23))

local overflow = line.of(example({ reason = "limit_body", overflow = "values", inspected_values = 1024, inspected_bytes = 2048 }))
check("a body of which a part was not inspected",
    '"user_agent":"curl/8","reference":"7K3QF2M9TD","overflow":"values","inspected_values":1024,"inspected_bytes":2048}\n', overflow:match('"user_agent".*'))

local escaped = line.of(example({ user_agent = 'a"b\\c\n\0\127\255\226\128\168' }))
check("values of the client are escaped", '"user_agent":"a\\"b\\\\c%0A%00%7F%FF%E2%80%A8","reference":"7K3QF2M9TD"}', escaped:match('"user_agent".*}'))

local limit_event = example({ status = 0 })
limit_event.candidate, limit_event.client_ip = nil, nil
local limit_line = cjson.decode(line.of(limit_event))
check("absent values are empty", "", limit_line.candidate .. limit_line.client_ip)
check("an absent status is 0", 0, limit_line.status)

local function check_fits(event)
    local text = line.of(event)
    local count = 0
    check("a line has one newline, at its end", #text, text:find("\n", 1, true))
    check("a line fits", true, #text <= limits.event_bytes)
    for _ in pairs(cjson.decode(text)) do
        count = count + 1
    end
    check("a line has all members", 18, count)
end

for _, filler in ipairs({ "a", '"', "\255", "\\a\1" }) do
    for _, n in ipairs({ 0, 1, 200, 1000, 3600, 5000, 40000 }) do
        local long = filler:rep(n)
        check_fits(example({ user_agent = long }))
        check_fits(example({ host = long, path = long, request_uri = long, candidate = long, user_agent = long,
            target = "header:" .. long }))
    end
end

local long_target = cjson.decode(line.of(example({ request_uri = "/" .. ("a"):rep(9000) })))
check("only long values are cut", "curl/8", long_target.user_agent)
check("long values are not cut too much", true, #long_target.request_uri > 3000)

for _, before in ipairs({ 0, 10, 1000, 2990, 20000 }) do
    for _, after in ipairs({ 0, 10, 1500, 20000 }) do
        for _, filler in ipairs({ "a/", '"\\' }) do
            local candidate = "/" .. filler:rep(before / 2) .. "/.env" .. filler:rep(after / 2)
            local text = line.of(example({ path = candidate, request_uri = candidate, candidate = candidate,
                place = 1 + before + #"/.env" }))
            local got, name = cjson.decode(text), ("%d bytes before the match, %d after it"):format(before, after)
            check(name .. ": the candidate has the match", true, got.candidate:find("/.env", 1, true) ~= nil)
            check(name .. ": a cut is marked", got.candidate ~= candidate, got.candidate:find("...", 1, true) ~= nil)
            check(name .. ": a cut path ends in a mark", got.path ~= candidate, got.path:find("%.%.%.$") ~= nil)
            check(name .. ": the line fits", true, #text <= limits.event_bytes)
        end
    end
end

-- Replaces the variables of nginx that the event of a verdict needs.
rawset(_G, "ngx", { var = { http_user_agent = "curl/8" } })
local find = require("pcre")()[1].find
package.loaded["guard.client"] = function() return "192.0.2.1" end
package.loaded["guard.regex"] = { place = function(subject) return select(2, subject:find("/.env", 1, true)) end }
package.loaded["guard.reported"] = function() return false end
local block = require("guard.block")

local function event_of(written, request)
    local policy, reported = harness.resolved(written, find), nil
    local verdict = engine.evaluate(engine.compile(policy, find), request)
    block({ policy = policy, report = function(event) reported = event end, respond = function() end }, request, verdict)
    reported.time = 0
    return cjson.decode(line.of(reported))
end

local folders = ("/a"):rep(750)
local long = event_of({}, { method = "GET", target = folders .. "/.env" .. folders, headers = {} })
check("the event of a long path shows the match, with marks", "...", long.candidate:match("^(%.%.%.)[/a]+/%.env[/a]+%.%.%.$"))

local part = event_of({ methods = { "*" }, checkBody = true, bodyOverflow = "block" },
    { method = "POST", target = "/", headers = { { "Content-Type", "application/json" } }, body = [=[["/a", "/b/c", 'd']=] })
check("the event of limit_body says how much was inspected", "limit_body malformed 2 6",
    ("%s %s %d %d"):format(part.reason, part.overflow, part.inspected_values, part.inspected_bytes))

-- Two of 10,000 references are equal with a probability of 1 in 20 million.
local references, characters, others = {}, {}, 0
for _ = 1, 10000 do
    local reference = new_reference()
    others = others + (references[reference] and 1 or 0) + (reference:find("^[0-9A-HJKMNP-TV-Z]+$") and #reference == 10 and 0 or 1)
    references[reference] = true
    for character in reference:gmatch(".") do
        characters[character] = true
    end
end
check("references are random, of ten characters of the alphabet", 0, others)
for character in ("0123456789ABCDEFGHJKMNPQRSTVWXYZ"):gmatch(".") do
    check("references have the character " .. character, true, characters[character])
end

-- Imitates ngx.shared.DICT. Entries do not expire.
local function new_shared()
    local values, size = {}, 0
    return {
        incr = function(_, key, by)
            values[key] = values[key] and values[key] + by
            return values[key]
        end,
        safe_add = function(_, key, value)
            if not values[key] then
                values[key], size = value, size + 1
                return true
            end
        end,
        get = function(_, key) return values[key] end,
        size = function() return size end,
    }
end
local full_dictionary = {
    incr = function() return nil, "not found" end,
    safe_add = function() return nil, "no memory" end,
    get = function() return nil end,
}

-- Returns how many of `count` events of a client get a line.
local function spend_all(has_room, now, network, count)
    local lines = 0
    for _ = 1, count do
        lines = lines + (has_room(now, network) and 1 or 0)
    end
    return lines
end

local most, for_new = limits.events_per_second, limits.events_for_new_clients

for name, shared_of in pairs({
    ["one worker"] = function() end,
    ["a shared dictionary"] = new_shared,
    ["a full dictionary"] = function() return full_dictionary end,
}) do
    local function budget()
        return new_budget(most, for_new, shared_of())
    end
    local has_room = budget()
    local flood = spend_all(has_room, 10.1, "192.0.2.1", 100000)
    check(name .. ": a flood has a part of the lines", true, flood > most / 3 and flood < most - for_new)
    check(name .. ": a flood hides no other client", 40, spend_all(has_room, 10.9, "192.0.2.2", 40))
    check(name .. ": the next second has a new budget", flood, spend_all(has_room, 11.0, "192.0.2.1", 100000))

    has_room = budget()
    local lines = 0
    for client = 1, 5 * most do
        lines = lines + spend_all(has_room, 10.1, "client " .. client, 1)
    end
    check(name .. ": all clients together have the lines of the budget", most, lines)

    has_room = budget()
    for client = 1, 50 do
        spend_all(has_room, 10.1, "flood " .. client, 1000)
    end
    lines = 0
    for client = 1, for_new - 50 do
        lines = lines + spend_all(has_room, 10.1, "client " .. client, 1)
    end
    check(name .. ": new clients have their part", for_new - 50, lines)
end

local shared = new_shared()
local workers = { new_budget(most, for_new, shared), new_budget(most, for_new, shared) }
local flood = 0
for i = 1, 100000 do
    flood = flood + spend_all(workers[i % 2 + 1], 10.1, "192.0.2.1", 1)
end
check("the workers share the part of a client", true, flood < most - for_new)
for client = 1, 100000 do
    spend_all(workers[client % 2 + 1], 10.2, "client " .. client, 1)
end
check("the number of keys in the dictionary is bounded", true, shared.size() <= most + 4)

for client, network in pairs({
    ["192.0.2.1"] = "192.0.2.1", ["2001:db8:0:1:ffff::1"] = "2001:db8:0:1::/64", ["::1"] = "::/64", [""] = "", name = "name",
    ["64:ff9b::c000:201"] = "64:ff9b::c000:201", ["64:ff9b::192.0.2.1"] = "64:ff9b::c000:201", ["::ffff:192.0.2.1"] = "192.0.2.1",
    ["64:ff9b:1:2::c000:201"] = "64:ff9b:1:2::c000:201", ["64:ff9a::1"] = "64:ff9a::/64", ["64:ff9c::1"] = "64:ff9c::/64",
}) do
    check("what the client " .. client .. " counts as", network, network_of(client, 64))
end

local sum = new_sum()
local function add_all(client, network, count, mode)
    for _ = 1, count do
        sum.add({ client_ip = client, mode = mode }, network)
    end
end
add_all("192.0.2.1", "192.0.2.1", 3)
add_all("2001:db8::1", "2001:db8::/64", 5)
add_all("2001:db8:0:1::1", "2001:db8:0:1::/64", 1)
add_all("2001:db8:0:1::2", "2001:db8:0:1::/64", 1)
add_all(nil, "", 7)
add_all("192.0.2.9", "192.0.2.9", 2, "detect")
check("a sum names its clients", '{"type":"guard_block_summary","timestamp":"2026-11-21T00:02:03.004Z","gateway":"nginx","count":19,"clients":['
    .. '{"client":"2001:db8::1","count":5},{"client":"192.0.2.1","count":3},{"client":"2001:db8:0:1::/64","count":2}],"others":9}\n',
    line.summary(1795219323.004, sum.result()))
sum.forget()
check("a sum is reported once", 0, sum.count())
check("and its clients, too", '"count":0,"clients":[],"others":0}\n', line.summary(0, sum.result()):match('"count".*'))

for client = 1, 2 * limits.event_sum_clients do
    local prefix = ("2001:db8:ffff:%x"):format(0x1000 + client)
    add_all(prefix .. "::1", prefix .. "::/64", 1)
    add_all(prefix .. "::2", prefix .. "::/64", 1)
end
add_all("2001:db8:ffff:1001::3", "2001:db8:ffff:1001::/64", 1000000)
local sum_line = line.summary(0, sum.result())
local many = cjson.decode(sum_line)
check("a sum fits into a line", true, #sum_line <= limits.event_bytes)
check("a sum names a bounded number of clients", limits.event_sum_names, #many.clients)
check("first the one with the most events", "2001:db8:ffff:1001::/64 1000002", many.clients[1].client .. " " .. many.clients[1].count)
check("the others are counted", many.count - 1000002 - 2 * (limits.event_sum_names - 1), many.others)

local path, time = os.tmpname(), 100
os.remove(path)
local out = files.append(path, function() return time end)
check("a file is created", true, out("one\n"))
check("lines are appended", true, out("two\n"))
check("both lines are in the file", "one\ntwo\n", read(path))
os.rename(path, path .. ".1")
out("three\n")
check("for less than a second, lines go to the renamed file", "one\ntwo\nthree\n", read(path .. ".1"))
time = 101
out("four\n")
check("then to a new file", "four\n", read(path))
os.remove(path)
os.remove(path .. ".1")

local half = io.open(path, "wb")
half:write("whole\nha")
half:close()
out = files.append(path, function() return time end)
out("one\n")
out("two\n")
check("an event begins a line where a file ends inside one", "whole\nha\none\ntwo\n", read(path))
os.remove(path)

limits.event_file_bytes = 8
out = files.append(path, function() return time end)
out("one\n")
out("two\n")
out("three\n")
check("for less than a second, a file grows beyond its bound", "one\ntwo\nthree\n", read(path))
local other_worker = files.append(path, function() return time end)
time = time + 1
check("a full file is renamed", true, out("four\n"))
check("the next line is in a new file", "four\n", read(path))
check("and the lines before it in the renamed one", "one\ntwo\nthree\n", read(path .. ".old"))
check("another worker follows", true, other_worker("five\n"))
check("and does not rename the new file", "four\nfive\n", read(path))
os.execute(("rm %s.old && mkdir -p %s.old/kept"):format(path, path))
time = time + 1
local stopped, why = out("six\n")
check("a full file that cannot be renamed gets no line", nil, stopped)
check("the reason says what is wrong", path .. " has 10 bytes and cannot be renamed: Is a directory", why)
check("such a file does not grow", "four\nfive\n", read(path))
os.execute(("rm -r %s.old && ln -s %s %s.link"):format(path, path, path))
stopped, why = files.append(path .. ".link", function() return time end)("six\n")
check("a symbolic link is not renamed", nil, stopped)
check("the reason names the link", path .. ".link is a symbolic link to a file of 10 bytes: rotate that file", why)
io.open(path, "w"):close()
check("a file that was truncated has room again", true, out("seven\n"))
check("and has the line", "seven\n", read(path))
check("a device has no bound", true, files.append("/dev/null", function() return time end)("line\n"))
os.remove(path)
os.remove(path .. ".link")
limits.event_file_bytes = 1e9

-- A process limit cuts a line off, like a full disk.
local ffi = require("ffi")
ffi.cdef([[
void (*signal(int number, void (*handler)(int)))(int);
int getrlimit(int resource, unsigned long *soft_and_hard);
int setrlimit(int resource, const unsigned long *soft_and_hard);
]])
local RLIMIT_FSIZE, SIGXFSZ, SIG_IGN = 1, 25, ffi.cast("void (*)(int)", 1)
local file_limits = ffi.new("unsigned long[2]")
ffi.C.getrlimit(RLIMIT_FSIZE, file_limits)
local function limit_files(bytes)
    file_limits[0] = bytes
    ffi.C.setrlimit(RLIMIT_FSIZE, file_limits)
end
ffi.C.signal(SIGXFSZ, SIG_IGN)
out = files.append(path, function() return time end)
limit_files(6)
out("one\n")
local whole, cause = out("two\n")
check("a line that is cut off is an error", nil, whole)
check("the error says how much is missing", "2 of 4 bytes were written", cause)
limit_files(file_limits[1])
check("the next line is written", true, out("three\n"))
out("four\n")
check("a line that was cut off is ended before the next", "one\ntw\nthree\nfour\n", read(path))
os.remove(path)

-- Writing to a full pipe, or opening a pipe without a reader, would block.
os.execute("mkfifo " .. path)
local O_RDWR = 2
local reader = ffi.C.open(path, O_RDWR)
local piped, pipe_reason = files.append(path, function() return time end)("line\n")
check("a pipe gets no events", nil, piped)
check("the reason names the pipe", path .. " is a pipe or a terminal, which can block requests: name a file", pipe_reason)
ffi.C.close(reader)
check("a pipe without a reader gets no events", nil, (files.append(path, function() return time end)("line\n")))
os.remove(path)
out = files.append(path, function() return time end)
out("one\n")
os.execute(("rm %s && mkfifo %s"):format(path, path))
time = time + 1
check("a pipe in place of a file gets no events", nil, (out("lost\n")))
os.remove(path)
check("a file in place of the pipe gets them", true, out("two\n"))
check("and has the event", "two\n", read(path))
os.remove(path)

local refused, reason = files.append("/absent/folder/events", function() return 0 end)("line\n")
check("a file that cannot be created is a returned reason, not an error", nil, refused)
check("the reason names the path", "/absent/folder/events: No such file or directory", reason)

harness.finish()
