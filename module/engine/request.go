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

// splitTarget splits a target at the first ?. The path is never empty. A target such as "*" is a path.
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

// whiteSpaceIn returns the index of the first byte 0x85 or 0xA0, or -1. Servers in Python end the target there, as str.split does.
func whiteSpaceIn(target string) int {
	nextLine, noBreakSpace := strings.IndexByte(target, 0x85), strings.IndexByte(target, 0xA0)
	if nextLine < 0 || 0 <= noBreakSpace && noBreakSpace < nextLine {
		return noBreakSpace
	}
	return nextLine
}

// Client returns the peer or, behind a trusted proxy, the right-most entry of X-Forwarded-For that is not a trusted proxy. If all
// are, it returns the left-most. A malformed entry ends the search. It returns the zero Addr for a peer without an address.
func (s *RuleSet) Client(r *Request) netip.Addr { return s.clientOf(r.Peer, r.Header) }

func (s *RuleSet) clientOf(peer string, header map[string][]string) netip.Addr {
	client, ok := address.Parse(peer)
	if !ok || !s.trusted.Contains(client) {
		return client
	}
	entries := strings.Split(strings.Join(header["X-Forwarded-For"], ","), ",")
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

// hostName returns the name in a Host header: in lower case, without port and final dot. It is empty for other hosts, such as IPv6
// addresses: servers read them differently, so no exception with hosts applies.
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
