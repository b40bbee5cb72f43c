package guard

import (
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/event"
	"github.com/request-guard/guard/host"
)

// block reports a blocked request and sends the response. A guard in mode detect passes the request on.
func (g *Guard) block(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, q *engine.Request, v *engine.Verdict) error {
	client := host.ClientText(g.rules.RuleSet, q)
	blocked := host.DescribeBlocked(q, v, client)
	if g.events != nil {
		e := event.Describe(g.policy, r, q, v, client)
		g.events.report(e, g.logger)
		blocked.Reference = e.Reference
		showReference(r, e.Reference)
	}
	if g.policy.Mode == host.ModeDetect {
		return g.pass(w, r, next)
	}
	g.responder.Respond(w, r, blocked)
	return nil
}

// trace writes the result of an evaluation to Caddy's log, at a level that Caddy shows by default.
func (g *Guard) trace(q *engine.Request, v *engine.Verdict) {
	g.logger.Info("evaluated", zap.String("method", q.Method), zap.String("target", q.Target), zap.Bool("blocked", v.Blocked),
		zap.String("reason", v.Reason), zap.String("rule", v.Rule), zap.String("candidate", v.Candidate))
}
