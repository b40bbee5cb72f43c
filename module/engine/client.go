package engine

import (
	"net/netip"
	"strings"

	"github.com/request-guard/guard/address"
)

// Client is the address of the client: the peer or, when that is a trusted proxy, the right-most entry of
// X-Forwarded-For that is not. All trusted: the left-most. A malformed entry ends the walk. The zero Addr: none.
func (s *RuleSet) Client(r *Request) netip.Addr {
	client, ok := address.Parse(r.Peer)
	if !ok || !s.trusted.Contains(client) {
		return client
	}
	entries := strings.Split(strings.Join(valuesOf(r.Header, "x-forwarded-for", exactly), ","), ",")
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
