package traefik

import (
	"io"
	"net/http"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
)

// describe is the request as it reached the guard. Traefik may have cleaned the target before; the backend gets the cleaned
// one.
func describe(r *http.Request) *engine.Request {
	return &engine.Request{
		Method: r.Method, Target: r.RequestURI, Host: r.Host, Peer: host.PeerAddress(r.RemoteAddr), Header: r.Header,
	}
}

// client is the address of the client as text; empty: it has none.
func (g *guard) client(r *http.Request) string {
	return host.Client(g.rules, &engine.Request{Peer: host.PeerAddress(r.RemoteAddr), Header: r.Header})
}

// rejoin makes a body of compiled types. net/http reads bodies in goroutines that recover no panic, so a panic in a method
// of an interpreted type would end the process. Close does nothing; ServeHTTP closes the original.
func rejoin(whole io.Reader, _ io.Closer) io.ReadCloser { return io.NopCloser(whole) }
