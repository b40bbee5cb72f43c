package guard

import (
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/respond"
)

// isEarly reports whether a request came in early data of HTTP/3 (RFC 9001 4.6), where an attacker can forge the address.
func isEarly(r *http.Request) bool { return r.TLS != nil && !r.TLS.HandshakeComplete }

// refuseEarly refuses a request before its address is used. The client repeats it after the handshake (RFC 8470 5.2). A guard
// that blocks nothing passes the request on.
func (g *Guard) refuseEarly(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if !g.policy.Enabled || g.policy.Mode == host.ModeDetect {
		return next.ServeHTTP(w, r)
	}
	respond.Refuse(w, r, http.StatusTooEarly)
	return nil
}
