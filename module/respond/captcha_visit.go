package respond

import (
	"strings"

	"github.com/request-guard/guard/address"
	"github.com/request-guard/guard/limits"
)

// visit has the values that states and passes are bound to, except the rule.
type visit struct {
	network string // address of the client, for IPv6 its /64; empty if it has none
	host    string // host of the request in lower case, without port
}

const maxHostInUse = 255 // maximum bytes; longer hosts are invalid (RFC 1035 2.3.4) and are cut

func newVisit(client, host string) visit {
	return visit{network: address.NetworkOf(client, address.ClientBits), host: normalHost(host)}
}

// normalHost returns the host in lower case without its port. It keeps two hosts with a space between them, as nginx joins them.
func normalHost(host string) string {
	if strings.Contains(host, " ") {
		return strings.ToLower(host)
	}
	host = strings.ToLower(withoutPort(host))
	if len(host) > maxHostInUse {
		host = host[:maxHostInUse]
	}
	return host
}

func withoutPort(host string) string {
	colon := strings.LastIndexByte(host, ':')
	if colon < 0 || strings.HasSuffix(host, "]") {
		return host
	}
	return host[:colon]
}

// returnPath returns a path of the same origin. Browsers read // and /\ at the start as another host.
func returnPath(target string) string {
	path := strings.TrimLeft(target, `/\`)
	if path == target || len(path) >= limits.CaptchaReturnBytes || strings.IndexFunc(path, isControl) >= 0 {
		return "/"
	}
	return "/" + path
}

func isControl(c rune) bool { return c < 0x20 || c == 0x7f }
