package traefik

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/request-guard/guard/banlist"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
)

// banGate refuses banned clients before anything else is inspected.
type banGate struct {
	guard *guard
	next  http.Handler
	// clean is the *cleanClients of the last table in the plugin, where a search takes a hundred times as long as in compiled code.
	clean          atomic.Value
	isInterpreted  bool
	readsForwarded bool // the policy has trusted proxies
}

// cleanClients has recent clients that are not banned. It holds for one table: a table bans no further client later.
type cleanClients struct {
	table *banlist.Table
	seen  sync.Map // keys of clients; the values are unused
	used  atomic.Int64
}

// Bounds of the clean clients of a guard: a megabyte.
const (
	mostCleanClients = 4096
	cleanClientBytes = 128
)

func newBanGate(g *guard, next http.Handler) *banGate {
	b := &banGate{guard: g, next: next, isInterpreted: g.variant == plugin, readsForwarded: len(g.policy.TrustedProxies) > 0}
	b.clean.Store(&cleanClients{})
	return b
}

func (b *banGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	table := b.guard.bans.Refresh()
	if table == nil {
		b.next.ServeHTTP(w, r)
		return
	}
	if !b.isInterpreted {
		b.search(table, w, r)
		return
	}
	key := r.RemoteAddr[:strings.LastIndexByte(r.RemoteAddr, ':')+1]
	if b.readsForwarded {
		key += strings.Join(r.Header["X-Forwarded-For"], ",")
	}
	clean, _ := b.clean.Load().(*cleanClients)
	if clean.table == table {
		if _, isClean := clean.seen.Load(key); isClean {
			b.next.ServeHTTP(w, r)
			return
		}
	}
	if b.search(table, w, r) && len(key) <= cleanClientBytes {
		b.remember(table, clean, key)
	}
}

// remember records a clean client. Once the set is full, or for another table, it begins an empty one.
func (b *banGate) remember(table *banlist.Table, clean *cleanClients, key string) {
	if clean.table != table || clean.used.Add(1) > mostCleanClients {
		clean = &cleanClients{table: table}
		b.clean.Store(clean)
	}
	clean.seen.Store(key, nil)
}

// search refuses a banned client, and calls the next handler for all others. It reports whether the client is clean.
func (b *banGate) search(table *banlist.Table, w http.ResponseWriter, r *http.Request) bool {
	if !b.guard.rules.BansClient(table, host.PeerAddress(r.RemoteAddr), r.Header) {
		b.next.ServeHTTP(w, r)
		return true
	}
	q := describe(r)
	v := engine.Verdict{Blocked: true, Reason: engine.ReasonBanned}
	if b.guard.policy.Debug {
		b.guard.trace(q, &v)
	}
	if b.guard.block(w, r, q, &v) {
		b.guard.next.ServeHTTP(w, r)
	}
	return false
}
