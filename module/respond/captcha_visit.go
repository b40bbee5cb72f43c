package respond

import (
	"strings"

	"github.com/request-guard/guard/address"
	"github.com/request-guard/guard/limits"
)

// visit is what states and passes are bound to, besides the rule.
type visit struct {
	network string // address of the client, for IPv6 its /64; empty: it has none
	host    string // lower case, without port
}

const maxHostInUse = 255 // bytes; longer ones are not valid names (RFC 1035 2.3.4), and are cut

func newVisit(client, host string) visit {
	return visit{network: address.NetworkOf(client, address.ClientBits), host: normalHost(host)}
}

// normalHost returns two hosts that differ, with a space between them, whole: without a part, they could be those of
// another request. Only nginx has such requests.
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

// returnPath returns the path that a visitor is sent back to: a path of the same origin. Browsers read // and /\ at
// the start as another host.
func returnPath(target string) string {
	path := strings.TrimLeft(target, `/\`)
	if path == target || len(path) >= limits.CaptchaReturnBytes || strings.IndexFunc(path, isControl) >= 0 {
		return "/"
	}
	return "/" + path
}

func isControl(c rune) bool { return c < 0x20 || c == 0x7f }
