-- Joins the text of elements: XPath and the DOM include inner elements, encoding/xml and SimpleXML do not.

local bytes = require("guard.engine.bytes")
local limits = require("guard.tables").limits

local concat, sub = table.concat, string.sub

local blanks = bytes.set(" \t\r\n")

local _M = { blanks = blanks }
local Elements = {}
Elements.__index = Elements

-- `joined` has the joined texts; with `is_cut` the last one is cut. `filled` counts texts that are not blank.
function _M.new()
    return setmetatable({ joined = {}, is_cut = false, used = 0, filled = 0, texts = {}, open = {} }, Elements)
end

function Elements:start()
    local element = { own = {}, filled = 0, first = #self.texts + 1, filled_before = self.filled }
    self.open[#self.open + 1] = element
end

function Elements:text(text)
    local element = self.open[#self.open]
    if not element or text == "" then
        return
    end
    element.own[#element.own + 1] = text
    self.texts[#self.texts + 1] = text
    if bytes.strip(text, blanks) ~= "" then
        element.filled = element.filled + 1
        self.filled = self.filled + 1
    end
end

local function join(self, texts, first)
    if self.is_cut then
        return
    end
    local whole, left = concat(texts, "", first), limits.xml_joined_bytes - self.used
    self.is_cut = #whole > left
    self.used = self.used + #whole
    self.joined[#self.joined + 1] = bytes.strip(sub(whole, 1, left), blanks)
end

-- Ends an element. Ignores an end tag without a start tag.
function Elements:finish_one()
    local element = table.remove(self.open)
    if not element or element.filled == 0 then
        return
    end
    if element.filled > 1 then
        join(self, element.own, 1)
    end
    if self.filled - element.filled_before > element.filled then
        join(self, self.texts, element.first)
    end
end

function Elements:finish(pause)
    while self.open[1] do
        pause()
        self:finish_one()
    end
end

return _M
