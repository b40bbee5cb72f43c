package guard

import (
	"net/http"
	"net/netip"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/event"
	"github.com/request-guard/guard/respond"
)

// block reports a blocked request and answers it; a detecting guard reports and passes it on.
func (g *Guard) block(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, q *engine.Request, v *engine.Verdict) error {
	client := clientOf(g.rules.Client(q))
	if g.events != nil {
		g.events.report(event.Describe(g.policy, r, q, v, client), g.logger)
	}
	if g.policy.Mode == modeDetect {
		return next.ServeHTTP(w, r)
	}
	path := v.Candidate
	if path == "" {
		path = event.PathOf(q.Target)
	}
	g.answer(w, r, &respond.Blocked{Reason: v.Reason, Path: path, Client: client, Rule: v.Rule, Target: q.Target, Excused: q.Excused})
	return nil
}

// clientOf is the address as text; empty: none.
func clientOf(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

// trace writes what the engine made of a request to Caddy's log, at the level that is shown without further settings:
// who sets debug in the policy wants to see it.
func (g *Guard) trace(q *engine.Request, v *engine.Verdict) {
	g.logger.Info("evaluated", zap.String("method", q.Method), zap.String("target", q.Target), zap.Bool("blocked", v.Blocked),
		zap.String("reason", v.Reason), zap.String("rule", v.Rule), zap.String("candidate", v.Candidate))
}
