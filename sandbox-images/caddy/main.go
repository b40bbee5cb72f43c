// Caddy with its standard modules and the guard: the proxy of the sandbox image.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/caddyserver/caddy/v2/modules/standard"
	_ "github.com/request-guard/guard/caddy"
)

func main() { caddycmd.Main() }
