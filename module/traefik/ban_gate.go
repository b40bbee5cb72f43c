package traefik

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/request-guard/guard/background"
	"github.com/request-guard/guard/banlist"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
)

// banGate refuses banned clients before anything else is inspected.
type banGate struct {
	guard *guard
	next  http.Handler
}

func (b *banGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if table := b.guard.bans.Refresh(); table == nil || b.admits(table, w, r) {
		b.next.ServeHTTP(w, r)
	}
}

// admits reports whether the client is clean. It has responded to a banned one.
func (b *banGate) admits(table *banlist.Table, w http.ResponseWriter, r *http.Request) bool {
	if !b.guard.rules.BansClient(table, host.PeerAddress(r.RemoteAddr), r.Header) {
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

// rememberingGate is the banGate of the plugin, where a search takes a hundred times as long as in compiled code. It looks up a
// client that was clean in the table in force, and calls nothing else: not even the clock.
type rememberingGate struct {
	banGate
	clean          sync.Map // keys of clients that are clean in table; the values are unused
	readsForwarded bool     // the policy has trusted proxies
	used           atomic.Int64

	isWatched atomic.Bool
	mu        sync.Mutex     // held while clean is emptied
	table     *banlist.Table // of the last look; guarded by mu
}

// Bounds of the clean clients of a guard: a megabyte.
const (
	mostCleanClients = 4096
	cleanClientBytes = 128
)

// A gate compares the table this often, for as many times after it remembered a client. Then it forgets all, so that a guard
// that Traefik no longer uses has no goroutine.
const (
	watchInterval = 500 * time.Millisecond
	mostWatches   = 120
)

func newBanGate(g *guard, next http.Handler) http.Handler {
	gate := banGate{guard: g, next: next}
	if g.variant != plugin {
		return &gate
	}
	return &rememberingGate{banGate: gate, readsForwarded: len(g.policy.TrustedProxies) > 0}
}

func (b *rememberingGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.RemoteAddr[:strings.LastIndexByte(r.RemoteAddr, ':')+1]
	if b.readsForwarded {
		key += strings.Join(r.Header["X-Forwarded-For"], ",")
	}
	if _, isClean := b.clean.Load(key); isClean {
		b.next.ServeHTTP(w, r)
		return
	}
	table := b.guard.bans.Refresh()
	if table == nil {
		b.next.ServeHTTP(w, r)
	} else if b.admits(table, w, r) {
		if len(key) <= cleanClientBytes {
			b.remember(table, key)
		}
		b.next.ServeHTTP(w, r)
	}
}

// remember records a clean client of a table. A full set begins again.
func (b *rememberingGate) remember(table *banlist.Table, key string) {
	if b.used.Add(1) > mostCleanClients {
		b.mu.Lock()
		b.forget()
		b.mu.Unlock()
	}
	b.clean.Store(strings.Clone(key), nil)
	if b.guard.bans.Table() != table { // after the store: what was stored earlier is forgotten with the old table
		b.clean.Delete(key)
	}
	if b.isWatched.CompareAndSwap(false, true) {
		background.Go(b.watch)
	}
}

func (b *rememberingGate) forget() {
	b.used.Store(0)
	b.clean.Range(func(key, _ any) bool {
		b.clean.Delete(key)
		return true
	})
}

// watch forgets the clean clients of an old table.
func (b *rememberingGate) watch() {
	for i := 0; i < mostWatches; i++ {
		time.Sleep(watchInterval)
		b.compare(b.guard.bans.Latest())
	}
	b.isWatched.Store(false)
	b.compare(nil)
}

// compare forgets all clients if the table is another one than before.
func (b *rememberingGate) compare(table *banlist.Table) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if table != b.table {
		b.table = table
		b.forget()
	}
}
