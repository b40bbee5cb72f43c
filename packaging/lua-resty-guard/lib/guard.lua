-- The former name of this module. Version 0.2 has only resty.guard.
return require("resty.guard")
