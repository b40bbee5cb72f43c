package traefik

import (
	"net/http"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
)

// banGate refuses banned clients before anything else is inspected.
type banGate struct {
	guard *guard
	next  http.Handler
}

func (b *banGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	table := b.guard.bans.Refresh()
	if table == nil || !b.guard.rules.BansClient(table, host.PeerAddress(r.RemoteAddr), r.Header) {
		b.next.ServeHTTP(w, r)
		return
	}
	q := describe(r)
	v := engine.Verdict{Blocked: true, Reason: engine.ReasonBanned}
	if b.guard.policy.Debug {
		b.guard.trace(q, &v)
	}
	if b.guard.block(w, r, q, &v) {
		b.guard.next.ServeHTTP(w, r)
	}
}
