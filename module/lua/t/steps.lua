-- Checks that an inspection pauses often, so that other requests do not wait for it. Between two pauses there is at
-- most one regular expression, and at most the Lua instructions of one pass over a value. The counts do not depend on
-- the speed of the machine.
--   luajit module/lua/t/steps.lua
-- Needs lua-cjson, and PCRE or PCRE2.

jit.off() -- compiled code does not call hooks

local harness = dofile(arg[0]:match("^.*/") .. "harness.lua")

local engine = require("guard.engine")
local find = require("pcre")()[1].find
local limits = require("guard.tables").limits

local BODY_BYTES = 65536
-- Maximum length of a body that the prefilter reads.
local PREFILTER_BYTES = limits.query_bytes
local COUNTED_AT_ONCE = 1000
local MOST_INSTRUCTIONS = 26 * BODY_BYTES

local function filled(part)
    return part:rep(math.floor(BODY_BYTES / #part))
end

local form, json, xml = "application/x-www-form-urlencoded", "application/json", "application/xml"
local multipart = "multipart/form-data; boundary=b"
local bodies = {
    { "form", form, filled("a=..%255c%2e+\\x&") },
    { "form without values", form, filled("=&") },
    { "form of one value", form, "a=" .. filled("%2e%2e/;x\\") },
    { "form of segments", form, "a=" .. filled("/a. ") },
    { "form of plus signs", form, filled("+") },
    { "form of look-alikes", form, filled("\239\188\175") },
    { "form of near matches", form, "a=" .. filled("union select ") },
    { "form of pieces", form, filled("a;") },
    { "form of semicolons", form, filled(";&") },
    { "form of lists", form, filled("[&") },
    { "form of strings", form, "a=" .. filled("{%22..%255c%2e%22") },
    { "form of strings without values", form, "a=" .. filled('[""') },
    { "JSON", json, filled('"\\u002e\\u002e\\\\x%2541;/.",') },
    { "JSON without values", json, filled('""') },
    { "JSON of one value", json, '"' .. filled("\\u002e\\\\") },
    { "JSON of backslashes", json, '"' .. filled("\\") },
    { "form of one clean value", form, ("a"):rep(PREFILTER_BYTES) },
    { "form of clean values", form, ("a=b%20c+d&"):rep(PREFILTER_BYTES / 10) },
    { "form of values with literals", form, ("a=config&"):rep(PREFILTER_BYTES / 9) },
    { "JSON of clean values", json, ('"a",'):rep(PREFILTER_BYTES / 4) },
    { "JSON of values with literals", json, ('"config",'):rep(PREFILTER_BYTES / 9) },
    { "XML", xml, filled('<a b="..%255c%2e\\x&#46;">&#x2e;./;</a>') },
    { "XML without values", xml, filled("<") },
    { "XML of elements", xml, filled("<a>") },
    { "XML of texts", xml, filled("<a>x") },
    { "XML of ends", xml, filled("</a>") },
    { "XML of attributes", xml, "<a " .. filled('b="" ') },
    { "XML of references", xml, "<a>" .. filled("&#46;") },
    { "XML of literals", xml, filled("<!a '&#46;\"'>") },
    { "XML of one literal", xml, "<!a '" .. filled('&#38;#46;"') },
    { "XML of sections", xml, "<a>" .. filled("<!---->") },
    { "multipart of parts", multipart, filled("--b\r\n\r\n") },
    { "multipart of names", multipart, filled('--b\r\nContent-Disposition: form-data; name="a"; name="b"\r\n\r\nx%2e\r\n') },
    { "multipart of lines", multipart, "--b\r\n" .. filled("a:b\r\n") },
    { "multipart of marks", multipart, "--b\r\n" .. filled("--b") },
}

-- Returns the maximum instructions and the maximum regular expressions between two pauses, and the total instructions.
local function longest(policy, headers, body)
    local instructions, most, all = 0, 0, 0
    local searches, most_searches = 0, 0
    local compiled = engine.compile(policy, function(subject, pattern)
        searches = searches + 1
        return find(subject, pattern)
    end)
    local function pause()
        most, most_searches, all = math.max(most, instructions), math.max(most_searches, searches), all + instructions
        instructions, searches = 0, 0
    end
    debug.sethook(function() instructions = instructions + COUNTED_AT_ONCE end, "", COUNTED_AT_ONCE)
    engine.evaluate(compiled, { method = "POST", target = "/", body = body, pause = pause, ip = "192.0.2.1",
        headers = headers })
    debug.sethook()
    pause()
    return most, most_searches, all
end

for _, overflow in ipairs({ "pass", "block" }) do
    local policy = harness.resolved({ methods = { "*" }, checkBody = true, bodyOverflow = overflow }, find)
    for _, body in ipairs(bodies) do
        local name, content_type, text = unpack(body)
        local most, searches = longest(policy, { { "Content-Type", content_type } }, text)
        local what = ("%s, body_overflow %s: "):format(name, overflow)
        harness.check(what .. most .. " instructions in a step", true, most <= MOST_INSTRUCTIONS)
        harness.check(what .. searches .. " regular expressions in a step", true, searches <= 1)
    end
end

-- Many headers, for a policy that inspects many. Each header is read once.
local HEADERS = 20000
local MOST_PER_HEADER = 100
local names, flood = {}, {}
for i = 1, 64 do
    names[i] = "X-Inspected-" .. i
end
for i = 1, HEADERS do
    flood[i] = { ("%05d"):format(i), "" }
end
local policy = harness.resolved({ methods = { "*" }, checkBody = true, checkHeaders = names,
    trustedProxies = { "192.0.2.1" }, allowedIps = { "192.0.2.2" } }, find)
local most, _, all = longest(policy, flood, "a=1")
harness.check("headers: " .. most .. " instructions in a step", true, most <= MOST_INSTRUCTIONS / 10)
harness.check("headers: " .. all .. " instructions", true, all <= MOST_PER_HEADER * HEADERS)

harness.finish()
