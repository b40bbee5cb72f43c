package guard

import (
	"net/http"
	"net/netip"
	"strings"

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
		g.events.report(g.event(r, q, v, client), g.logger)
	}
	if g.policy.Mode == modeDetect {
		return next.ServeHTTP(w, r)
	}
	path := v.Candidate
	if path == "" {
		path = pathOf(q.Target)
	}
	g.answer(w, r, &respond.Blocked{Reason: v.Reason, Path: path, Client: client, Rule: v.Rule, Target: q.Target, Excused: q.Excused})
	return nil
}

// event describes a blocked request. In mode detect, action and status are those that an enforcing guard would give.
func (g *Guard) event(r *http.Request, q *engine.Request, v *engine.Verdict, client string) *event.Event {
	return &event.Event{
		Mode:       g.policy.Mode,
		ClientIP:   client,
		Method:     q.Method,
		Host:       r.Host,
		Path:       pathOf(q.Target),
		RequestURI: q.Target,
		Target:     v.Target,
		Candidate:  v.Candidate,
		RuleID:     v.Rule,
		Pattern:    v.Pattern,
		Reason:     v.Reason,
		Action:     g.policy.Response.Mode,
		Status:     g.policy.Response.StatusCode,
		UserAgent:  r.UserAgent(),
	}
}

// clientOf is the address as text; empty: none.
func clientOf(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}

// trace writes what the engine made of a request to Caddy's log, at the level that is shown without further settings:
// who sets debug in the policy wants to see it.
func (g *Guard) trace(q *engine.Request, v *engine.Verdict) {
	g.logger.Info("evaluated", zap.String("method", q.Method), zap.String("target", q.Target), zap.Bool("blocked", v.Blocked),
		zap.String("reason", v.Reason), zap.String("rule", v.Rule), zap.String("candidate", v.Candidate))
}
