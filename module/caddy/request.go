package guard

import (
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
)

// describe fills q. After a rewrite, the guard inspects the client's target and the rewritten one: a rule may match only one of
// them.
func describe(r *http.Request, q *engine.Request) {
	q.Method, q.Target, q.Peer = r.Method, r.RequestURI, host.PeerAddress(r.RemoteAddr)
	if original, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request); ok {
		q.Method, q.Target, q.Peer = original.Method, original.RequestURI, host.PeerAddress(original.RemoteAddr)
		q.Rewritten, q.HasRewritten = r.RequestURI, r.RequestURI != original.RequestURI
	}
	if q.Method == http.MethodConnect && isWebSocket(r) {
		q.Method = http.MethodGet // the method that Caddy's reverse_proxy sends
	}
	q.Host = r.Host
	q.Header = r.Header
}

// isWebSocket reports whether a CONNECT opens a WebSocket (RFC 8441, RFC 9220). Its target is an ordinary path.
func isWebSocket(r *http.Request) bool {
	return r.ProtoMajor == 3 && r.Proto == webSocket || r.ProtoMajor == 2 && r.Header.Get(":protocol") == webSocket
}

const webSocket = "websocket"
