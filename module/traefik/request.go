package traefik

import (
	"io"
	"net/http"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
)

// describe returns the request as it reached the guard. Traefik may have cleaned the target, also for the backend.
func describe(r *http.Request) *engine.Request {
	return &engine.Request{
		Method: r.Method, Target: r.RequestURI, Host: r.Host, Peer: host.PeerAddress(r.RemoteAddr), Header: r.Header,
	}
}

func (g *guard) client(r *http.Request) string {
	return host.ClientText(g.rules, &engine.Request{Peer: host.PeerAddress(r.RemoteAddr), Header: r.Header})
}

// rejoin uses compiled types: net/http reads bodies in goroutines, where a panic of an interpreted type would end the process.
func rejoin(whole io.Reader, _ io.Closer) io.ReadCloser { return io.NopCloser(whole) }
