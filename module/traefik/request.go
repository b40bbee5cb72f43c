package traefik

import (
	"io"
	"net/http"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
)

// describe returns the request as it reached the guard. Traefik may have cleaned the target before. The backend then gets the cleaned
// target too.
func describe(r *http.Request) *engine.Request {
	return &engine.Request{
		Method: r.Method, Target: r.RequestURI, Host: r.Host, Peer: host.PeerAddress(r.RemoteAddr), Header: r.Header,
	}
}

// client returns the address of the client as text, or "" if it has none.
func (g *guard) client(r *http.Request) string {
	return host.ClientText(g.rules, &engine.Request{Peer: host.PeerAddress(r.RemoteAddr), Header: r.Header})
}

// rejoin returns a body that reads from whole. Its types are compiled: net/http reads bodies in goroutines that do not recover panics,
// so a panic in a method of an interpreted type would end the process. Its Close does nothing; ServeHTTP closes the original.
func rejoin(whole io.Reader, _ io.Closer) io.ReadCloser { return io.NopCloser(whole) }
