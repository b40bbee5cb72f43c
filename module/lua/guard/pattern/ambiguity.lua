return function() return nil end
