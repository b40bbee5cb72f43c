package guard

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/request-guard/guard/engine"
)

// failClosed says what a fault of the engine means for an enforcing guard: the request is refused with 500, never waved
// through unseen. A detecting guard lets it through, as everything.
const failClosed = true

const modeDetect = "detect"

// requests are the descriptions of requests that are not in use: the engine keeps no reference to one, and a clean
// request shall cost no memory.
var requests = sync.Pool{New: func() any { return new(engine.Request) }}

// ServeHTTP passes the request on or answers it. It reads nothing but the request, and waits for a body only where the
// policy looks at bodies and nothing before the body has decided.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	q := requests.Get().(*engine.Request)
	describe(r, q)
	if g.captcha != nil && g.captcha.Serves(q.Target) {
		g.captcha.Serve(w, r, clientOf(g.rules.Client(q)))
		return nil
	}
	v, err := g.decide(r, q)
	if g.captcha != nil && v.Blocked {
		v, err = g.excuse(r, q, v)
	}
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

// decide evaluates the request, with its body where that may change the verdict. The body is read once, however often it decides.
func (g *Guard) decide(r *http.Request, q *engine.Request) (engine.Verdict, error) {
	v, err := g.judge(q)
	if err != nil || !g.policy.CheckBody || q.Body != nil || !g.rules.WantsBody(q, v) {
		return v, err
	}
	if q.Body, err = bodyPrefix(r, g.policy.MaxBodyBytes); err != nil {
		return engine.Verdict{}, err
	}
	return g.judge(q)
}

// judge evaluates the request. The engine has no errors: what it can have is a bug.
func (g *Guard) judge(q *engine.Request) (v engine.Verdict, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the guard's engine failed: %v", fault)
			g.logger.Error(err.Error(), zap.String("target", q.Target), zap.ByteString("stack", debug.Stack()))
		}
	}()
	return g.rules.Evaluate(q), nil
}

// fault refuses a request without a verdict. A guard that only detects passes it on, unless its body cannot be read: the
// backend could not read it either.
func (g *Guard) fault(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, err error) error {
	var broken caddyhttp.HandlerError
	if errors.As(err, &broken) {
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
		return broken
	}
	if failClosed && g.policy.Mode != modeDetect {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	return next.ServeHTTP(w, r)
}
