package traefik

import (
	"net/http"

	"github.com/request-guard/guard/engine"
)

// banGate refuses banned clients before anything else is inspected.
type banGate struct {
	guard *guard
	next  http.Handler
}

func (b *banGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	table := b.guard.bans.Refresh()
	if table == nil {
		b.next.ServeHTTP(w, r)
		return
	}
	q := describe(r)
	q.Bans = table
	if !b.guard.rules.IsBanned(q) {
		b.next.ServeHTTP(w, r)
		return
	}
	v := engine.Verdict{Blocked: true, Reason: engine.ReasonBanned}
	if b.guard.policy.Debug {
		b.guard.trace(q, &v)
	}
	if b.guard.block(w, r, q, &v) {
		b.guard.next.ServeHTTP(w, r)
	}
}
