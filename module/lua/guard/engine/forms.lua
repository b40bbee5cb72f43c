-- What different servers make of the same decoded path.

local bytes = require("guard.engine.bytes")

local byte, find, gsub, sub = string.byte, string.find, string.gsub, string.sub
local concat = table.concat
local SLASH = 0x2F

local _M = {}

local dots_and_spaces = bytes.set(". ")

local function collapse(text)
    return (gsub(text, "//+", "/"))
end

-- Each segment up to its first ;. Servlet containers drop path parameters before they resolve dots.
local function without_parameters(text)
    return (gsub(text, ";[^/]*", ""))
end

-- Resolves dot segments as RFC 3986 5.2.4 does: never above the root, and empty segments count. A text without a
-- leading slash or without "/." stays unchanged.
local function resolve_dots(text)
    if sub(text, 1, 1) ~= "/" or not find(text, "/.", 1, true) then
        return text
    end
    local out, depth, dots = {}, 0, false
    for segment in string.gmatch(text, "/([^/]*)") do
        dots = segment == "." or segment == ".."
        if segment == ".." and depth > 0 then
            out[depth] = nil
            depth = depth - 1
        elseif not dots then
            depth = depth + 1
            out[depth] = segment
        end
    end
    if dots then
        out[depth + 1] = ""
    end
    return "/" .. concat(out, "/")
end

-- A name as Windows opens it: without an alternate data stream, and without dots and spaces at its end.
local function windows_name(segment)
    local stream = find(segment, "::$", 1, true) or find(segment, ":$", 1, true)
    local name = segment
    if stream and stream > 1 then
        name = sub(segment, 1, stream - 1)
    end
    if name == "." or name == ".." then
        return name
    end
    local stripped = bytes.strip_end(name, dots_and_spaces)
    return stripped == "" and name or stripped
end

local function as_windows(text)
    if not find(text, "[. ]") and not find(text, ":$", 1, true) then
        return text
    end
    return (gsub(text, "[^/]+", windows_name))
end

-- Up to the first NUL, ? or #: where C libraries and URL parsers end a path.
function _M.cut(text)
    local stop = find(text, "[%z?#]")
    return stop and sub(text, 1, stop - 1) or text
end

-- Without control characters, which some parsers skip.
function _M.without_controls(text)
    return (gsub(text, "[%z\1-\31\127]", ""))
end

-- Calls `add` with a resolved path and, if the path is open, with the path without its final slash. Functions that clean
-- a path (Go's path.Clean, Python's normpath, Node's normalize) leave no slash after a final dot segment.
local function add_path(path, is_open, add)
    return add(path) and (not is_open or #path < 2 or byte(path) ~= SLASH or byte(path, #path) ~= SLASH or add(sub(path, 1, -2)))
end

-- Calls `add` with every form of a decoded path, in the order in which they become candidates, with repetitions.
-- Stops and returns false as soon as `add` does. `is_open`: the path may lose a final slash, because it was not sent with
-- a plain one.
function _M.each(text, is_open, add)
    local slashed = text
    if not add(text) then
        return false
    end
    if find(text, "\\", 1, true) then
        slashed = gsub(text, "\\", "/")
        if not (add((gsub(text, "\\", ""))) and add(slashed)) then
            return false
        end
    end
    local bare = without_parameters(slashed)
    return add_path(resolve_dots(collapse(slashed)), is_open, add)
        and add_path(collapse(resolve_dots(slashed)), is_open, add)
        and add_path(resolve_dots(collapse(bare)), is_open, add)
        and add_path(resolve_dots(collapse(as_windows(bare))), is_open, add)
end

return _M
