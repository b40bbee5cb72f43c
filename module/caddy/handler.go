package guard

import (
	"errors"
	"net/http"
	"runtime/debug"
	"sync"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/respond"
)

// failClosed says what a fault of the engine means for an enforcing guard: the request is refused with 500, never waved
// through unseen. A detecting guard lets it through, as everything.
const failClosed = true

// requests are the descriptions of requests that are not in use: the engine keeps no reference to one, and a clean
// request shall cost no memory.
var requests = sync.Pool{New: func() any { return new(engine.Request) }}

// ServeHTTP passes the request on or answers it. It reads nothing but the request, and waits for a body only where the
// policy looks at bodies and nothing before the body has decided.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	q := requests.Get().(*engine.Request)
	describe(r, q)
	if g.captcha != nil && g.captcha.Serves(q.Target) {
		g.captcha.Serve(w, r, host.Client(g.rules.RuleSet, q))
		return nil
	}
	v, err := g.inspector.Decide(r, q)
	if err != nil {
		return g.fault(w, r, next, err)
	}
	g.counts.count(&v)
	if g.policy.Debug {
		g.trace(q, &v)
	}
	if v.Blocked {
		return g.block(w, r, next, q, &v)
	}
	*q = engine.Request{}
	requests.Put(q)
	return next.ServeHTTP(w, r)
}

// failed logs an error of the engine with the stack of its panic.
func (g *Guard) failed(q *engine.Request, err error) {
	g.logger.Error(err.Error(), zap.String("target", q.Target), zap.ByteString("stack", debug.Stack()))
}

// fault refuses a request without a verdict. A guard that only detects passes it on, unless its body cannot be read: the
// backend could not read it either.
func (g *Guard) fault(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, err error) error {
	if !errors.Is(err, host.ErrEngine) {
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
		return caddyhttp.Error(respond.BrokenBody(r.Context(), err), err) // keeps the status of an error that has one
	}
	if failClosed && g.policy.Mode != host.ModeDetect {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	return next.ServeHTTP(w, r)
}
