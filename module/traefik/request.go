package traefik

import (
	"net"
	"net/http"
	"strings"

	"github.com/request-guard/guard/engine"
)

// describe says what reached the guard. Traefik may have cleaned the target before: the backend gets the cleaned one.
func describe(r *http.Request) *engine.Request {
	return &engine.Request{
		Method: r.Method, Target: r.RequestURI, Host: engine.HostName(r.Host), Peer: peerAddress(r.RemoteAddr), Header: r.Header,
	}
}

// client is the address of the client as text; empty: none.
func (g *guard) client(r *http.Request) string {
	address := g.rules.Client(&engine.Request{Peer: peerAddress(r.RemoteAddr), Header: r.Header})
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

// peerAddress is the address in a RemoteAddr such as 192.0.2.1:80 or [fe80::1%eth0]:80, without the zone;
// empty for peers without an address.
func peerAddress(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return ""
	}
	address, _, _ := strings.Cut(host, "%")
	return address
}
