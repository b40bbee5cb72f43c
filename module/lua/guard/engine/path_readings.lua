-- Readings of a path by servers that take a part of it for something else. Values of queries and bodies have none of
-- them.

local resolve_dots = require("guard.engine.forms").resolve_dots

local byte, find, gsub, lower, match, sub = string.byte, string.find, string.gsub, string.lower, string.match, string.sub

local DOT, SLASH = 0x2E, 0x2F

local _M = {}

local function set_of(...)
    local set = {}
    for _, name in ipairs({ ... }) do
        set[name] = true
    end
    return set
end

-- A front controller is a script that serves all paths of a site. Other scripts do not count, because /less.php/ can be
-- a folder.
local controllers = set_of("index", "app", "app_dev", "main", "default", "dispatch", "front", "server")
-- Extensions of scripts, which servers run for /a.php/x too.
local scripts = set_of("php", "php3", "php4", "php5", "php6", "php7", "php8", "phar", "phtml", "shtml", "cgi", "fcgi",
    "pl", "py", "rb", "cfm", "cfc", "asp", "aspx", "ashx", "asmx")

_M.scripts = scripts

-- Whether the extension before the slash at an index is that of a script. Called for many targets, so it
-- does not use patterns, which LuaJIT does not compile.
function _M.is_script_before(path, slash)
    for length = 2, 5 do
        if byte(path, slash - length - 1) == DOT then
            return scripts[lower(sub(path, slash - length, slash - 1))] == true
        end
    end
    return false
end

-- Returns the indices of the slash behind the first front controller and of the slash in front of it, or nil.
local function controller_end(path)
    local slash = find(path, "/", 1, true)
    while slash do
        local stop = find(path, "/", slash + 1, true)
        if stop and _M.is_script_before(path, stop) then
            local name, script = match(sub(path, slash + 1, stop - 1), "^([^.]*)%.([^.]*)$")
            if name and controllers[lower(name)] and scripts[lower(script)] then
                return stop, slash
            end
        end
        slash = stop
    end
end

-- Whether a path has no other reading by `rooted`.
local function is_rooted(path)
    return path == "" or byte(path) == SLASH or path == "*"
end

-- Puts a slash in front of a path without one: Go's proxies pass GET http:internal/a on as GET internal/a, for which
-- servers of Python return /internal/a, and Symfony adds the slash to a path in a header.
local function rooted(path)
    return is_rooted(path) and path or "/" .. path
end

-- Whether a path without ";", "\" and "//" can have other readings.
function _M.is_routed(path)
    return not is_rooted(path) or find(path, "/(", 1, true) ~= nil or controller_end(path) ~= nil
end

-- find-my-way, the router of restify and Fastify, ends the path at the first ";": what follows is the query.
local function without_parameters(path)
    return (gsub(path, ";.*", ""))
end

-- Removes the authority of a network-path reference (RFC 3986 4.2). PHP's parse_url, JDK's HttpServer and Node's new
-- URL read //x:80/internal/a as /internal/a.
local function without_authority(path)
    local stop = match(path, "^//+[^/]*()")
    if not stop then
        return path
    end
    return stop > #path and "/" or sub(path, stop)
end

-- Proxies such as Envoy resolve dot segments and keep empty ones: /.//x/internal/a reaches the server as
-- //x/internal/a.
local function without_resolved_authority(path)
    local resolved = resolve_dots(path)
    return sub(resolved, 1, 2) == "//" and without_authority(resolved) or path
end

local old_session = "^/%(" .. string.rep("%w", 24) .. "%)()/"

-- Returns the index after the session of ASP.NET that starts with the slash at an index, or nil. Mono and ASP.NET 1 write
-- 24 characters.
local function session_end(path, slash)
    local at, behind = nil, match(path, "^/%([AFSafs]%([^()/]*%)()", slash)
    while behind do
        at = behind
        behind = match(path, "^[AFSafs]%([^()/]*%)()", at)
    end
    return at and match(path, "^%)()/", at) or match(path, old_session, slash)
end

-- Removes the sessions that ASP.NET keeps in a path: /(S(x))/internal/a is /internal/a.
local function without_sessions(path)
    local slash = find(path, "/(", 1, true)
    while slash do
        local behind = session_end(path, slash)
        if behind then
            path = sub(path, 1, slash - 1) .. sub(path, behind)
        end
        slash = find(path, "/(", behind and slash or slash + 1, true)
    end
    return path
end

-- Removes the first front controller: applications below /app read /app/index.php/internal/a as /app/internal/a.
local function without_controller(path)
    local stop, start = controller_end(path)
    return stop and sub(path, 1, start - 1) .. sub(path, stop) or path
end

-- Returns the path info of the first front controller, which reads /index.php/internal/a as /internal/a.
local function path_info(path)
    local stop = controller_end(path)
    return stop and sub(path, stop) or path
end

local steps = {
    rooted, without_parameters, without_authority, without_resolved_authority, without_sessions, without_controller, path_info,
}

-- Returns the readings of a path with slashes only, by each combination of the steps that changes it.
function _M.of(path)
    local readings = { path }
    for _, step in ipairs(steps) do
        for i = 1, #readings do
            local reading = step(readings[i])
            if reading ~= readings[i] then
                readings[#readings + 1] = reading
            end
        end
    end
    table.remove(readings, 1)
    return readings
end

return _M
