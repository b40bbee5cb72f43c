package engine

import (
	"net/netip"
	"regexp"
	"strings"

	"github.com/request-guard/guard/address"
)

// absoluteOrigin matches the scheme and authority of an absolute-form target (RFC 9112 3.2.2). net/http also accepts a scheme without an
// authority and forwards the text after it: a:/x and a:b:/x reach a backend as /x.
var absoluteOrigin = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:(?://[^/?#\\]*)?)+`)

// splitTarget splits a target into its path, which is never empty, and the query after the first ?. A target in neither origin form
// nor absolute form, such as "*", is a path.
func splitTarget(target string) (path, query string, hasQuery bool) {
	if !strings.HasPrefix(target, "/") && strings.Contains(target, ":") {
		target = target[len(absoluteOrigin.FindString(target)):]
	}
	path, query, hasQuery = strings.Cut(target, "?")
	if path == "" {
		path = "/"
	}
	return path, query, hasQuery
}

// whiteSpaceIn returns the index of the first byte 0x85 or 0xA0, or -1. In Python servers such as http.server these bytes end the target,
// because str.split treats them as white space. nginx forwards them; all proxies refuse other white space.
func whiteSpaceIn(target string) int {
	nextLine, noBreakSpace := strings.IndexByte(target, 0x85), strings.IndexByte(target, 0xA0)
	if nextLine < 0 || 0 <= noBreakSpace && noBreakSpace < nextLine {
		return noBreakSpace
	}
	return nextLine
}

// Client returns the address of the client: the peer or, if the peer is a trusted proxy, the right-most entry of X-Forwarded-For that
// is not a trusted proxy. If all entries are trusted proxies, it returns the left-most. A malformed entry ends the search at the last
// valid address. Client returns the zero Addr for a peer without an address.
func (s *RuleSet) Client(r *Request) netip.Addr {
	client, ok := address.Parse(r.Peer)
	if !ok || !s.trusted.Contains(client) {
		return client
	}
	entries := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(entries) - 1; i >= 0; i-- {
		entry, ok := address.ParseForwarded(strings.Trim(entries[i], " \t"))
		if !ok {
			return client
		}
		client = entry
		if !s.trusted.Contains(client) {
			return client
		}
	}
	return client
}

const (
	digits    = "0123456789"
	nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + digits + "_.-"
)

// hostName returns the name in a Host header or :authority, for exceptions: in lower case, without a port and without the
// final dot of the DNS root, which names the same host. It is empty for everything that is not a name, such as an IPv6 address:
// servers read such hosts in different ways, so no exception applies to them.
func hostName(host string) string {
	name := host
	if before := strings.TrimRight(host, digits); strings.HasSuffix(before, ":") {
		name = before[:len(before)-1]
	}
	name = strings.TrimSuffix(name, ".")
	if strings.TrimLeft(name, nameBytes) != "" {
		return ""
	}
	return strings.ToLower(name)
}
