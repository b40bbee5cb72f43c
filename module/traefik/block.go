package traefik

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/event"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// block reports a blocked request and answers it. true: the guard only detects, and the request goes on.
func (g *guard) block(w http.ResponseWriter, r *http.Request, q *engine.Request, v *engine.Verdict) bool {
	client := g.client(r)
	if g.events != nil {
		g.events.report(g, event.Describe(g.policy, r, q, v, client))
	}
	if g.policy.Mode == modeDetect {
		return true
	}
	path := v.Candidate
	if path == "" {
		path = event.PathOf(q.Target)
	}
	g.respond(w, r, &respond.Blocked{Reason: v.Reason, Path: path, Client: client, Rule: v.Rule, Target: q.Target, Excused: q.Excused})
	return false
}

// respond answers; what is held open is sent over a connection that can be closed.
func (g *guard) respond(w http.ResponseWriter, r *http.Request, b *respond.Blocked) {
	longest, holds := holdTime(&g.policy.Response)
	isMirrored := g.policy.Response.Mode == "proxy" && r.ContentLength != 0 // a body that is read while the answer is sent
	if !holds || isMirrored {
		g.answer(w, r, b)
		return
	}
	t, request := takeOver(w, r, longest)
	if t == nil {
		g.answer(w, r, b)
		return
	}
	defer t.end()
	g.answer(t, request, b)
}

// holdTime is how long a mode may hold an answer open that it writes bit by bit.
func holdTime(r *policy.Response) (longest time.Duration, holds bool) {
	switch r.Mode {
	case "tarpit":
		return time.Duration(r.TarpitMaxDurationSeconds) * time.Second, true
	case "gzip_bomb", "infinite_stream", "proxy":
		return time.Duration(r.MaxResponseSeconds) * time.Second, true
	}
	return 0, false
}

// trace writes what the engine made of a request to standard output, which Traefik shows whatever its log level is: who sets
// debug in the policy wants to see it.
func (g *guard) trace(q *engine.Request, v *engine.Verdict) {
	line := fmt.Sprintf("guard: middleware %s: evaluated method=%+q target=%+q blocked=%t reason=%s rule=%s candidate=%+q\n",
		g.name, q.Method, q.Target, v.Blocked, v.Reason, v.Rule, v.Candidate)
	_, _ = os.Stdout.Write([]byte(line))
}
