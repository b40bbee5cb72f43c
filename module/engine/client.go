package engine

import (
	"net/netip"
	"strings"

	"github.com/request-guard/guard/address"
)

// Client returns the address of the client: the peer or, when the peer is a trusted proxy, the right-most entry of
// X-Forwarded-For that is not one. If all entries are trusted, it is the left-most. A malformed entry ends the search
// at the last valid address. A peer without an address has the zero Addr.
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
