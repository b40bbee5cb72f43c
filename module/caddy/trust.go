package guard

import (
	"reflect"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// serverTrustsProxies uses reflection, because Caddy does not export the loaded list of trusted_proxies.
func serverTrustsProxies(ctx caddy.Context) bool {
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok {
		return false
	}
	trusted := reflect.ValueOf(server).Elem().FieldByName("trustedProxies")
	return trusted.IsValid() && trusted.Kind() == reflect.Interface && !trusted.IsNil()
}
