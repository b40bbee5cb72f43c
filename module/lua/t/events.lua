-- Tests of security events, under LuaJIT and without nginx:
--   luajit module/lua/t/events.lua
-- Needs lua-cjson, and PCRE or PCRE2.

local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")

local cjson = require("cjson")
local engine = require("guard.engine")
local new_budget = require("guard.event.budget")
local files = require("guard.event.file")
local line = require("guard.event.line")
local limits = require("guard.tables").limits

local check, read = harness.check, harness.read

local function example(changes)
    local event = {
        time = 1795219323.004, mode = "enforce", client_ip = "192.0.2.1", method = "GET", host = "example.com", path = "/.env",
        request_uri = "/.env?a=1", target = "path", candidate = "/.env", rule_id = "env-file", pattern = [[(?i)/\.env]],
        reason = "block_pattern_match", action = "text", status = 403, user_agent = "curl/8",
    }
    for key, value in pairs(changes or {}) do
        event[key] = value
    end
    return event
end

check("a line holds the fields in order", '{"type":"guard_block","timestamp":"2026-11-21T00:02:03.004Z","gateway":"nginx",'
    .. '"mode":"enforce","client_ip":"192.0.2.1","method":"GET","host":"example.com","path":"/.env","request_uri":"/.env?a=1",'
    .. '"target":"path","candidate":"/.env","rule_id":"env-file","pattern":"(?i)/\\\\.env","reason":"block_pattern_match",'
    .. '"action":"text","status":403,"user_agent":"curl/8"}\n', line.of(example()))

check("the type of an event in mode detect", '{"type":"guard_detect",', line.of(example({ mode = "detect" })):sub(1, 23))

local overflow = line.of(example({ reason = "limit_body", overflow = "values", inspected_values = 1024, inspected_bytes = 2048 }))
check("a body of which a part was not inspected",
    '"user_agent":"curl/8","overflow":"values","inspected_values":1024,"inspected_bytes":2048}\n', overflow:match('"user_agent".*'))

local escaped = line.of(example({ user_agent = 'a"b\\c\n\0\127\255\226\128\168' }))
check("values of the client are escaped", '"user_agent":"a\\"b\\\\c%0A%00%7F%FF%E2%80%A8"}', escaped:match('"user_agent".*}'))

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
    check("a line has all members", 17, count)
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

-- The event of a verdict, with what nginx provides replaced.
rawset(_G, "ngx", { var = { http_user_agent = "curl/8" } })
local find = require("pcre")()[1].find
package.loaded["guard.client"] = function() return "192.0.2.1" end
package.loaded["guard.regex"] = { place = function(subject) return select(2, subject:find("/.env", 1, true)) end }
package.loaded["guard.reported"] = function() return false end
local block = require("guard.block")

local function event_of(written, request)
    local policy, reported = harness.resolved(written, find), nil
    local verdict = engine.evaluate(engine.compile(policy, find), request)
    block({ policy = policy, report = function(event) reported = event end, answer = function() end }, request, verdict)
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

local budget = new_budget(2)
check("the first line fits the budget", true, (budget.take(10.1)))
check("the second line fits the budget", true, (budget.take(10.9)))
local has_room, is_first = budget.take(10.95)
check("the third line does not", false, has_room)
check("the third line is the first beyond the budget", true, is_first)
check("the fourth line is not the first", false, (select(2, budget.take(10.99))))
check("the next second has a new budget", true, (budget.take(11.0)))
check("two lines were suppressed", 2, budget.missed())
budget.forget()
check("suppressed lines are reported once", 0, budget.missed())

-- As ngx.shared.DICT.
local counts = {}
local shared = { incr = function(_, key, by, from) counts[key] = (counts[key] or from) + by return counts[key] end }
local one_worker, other_worker = new_budget(2, shared), new_budget(2, shared)
check("a line of one worker fits the shared budget", true, (one_worker.take(10.1)))
check("a line of another worker fits it", true, (other_worker.take(10.1)))
check("a third line does not, whichever worker has it", false, (one_worker.take(10.2)))
check("the next second has a new shared budget", true, (one_worker.take(11.0)))
local full = new_budget(1, { incr = function() return nil, "no memory" end })
check("with a full dictionary a worker counts its own lines", true, (full.take(10.1)))
check("and no more than those", false, (full.take(10.2)))

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

-- A limit of the process cuts a line off, as a full disk does.
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

local refused, reason = files.append("/absent/folder/events", function() return 0 end)("line\n")
check("a file that cannot be created is a returned reason, not an error", nil, refused)
check("the reason names the path", "/absent/folder/events: No such file or directory", reason)

harness.finish()
