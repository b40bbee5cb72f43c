package traefik

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/event"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// block reports a blocked request and sends the response. A guard that only detects sends none: block returns true, and the request
// goes to the next handler.
func (g *guard) block(w http.ResponseWriter, r *http.Request, q *engine.Request, v *engine.Verdict) bool {
	client := g.client(r)
	blocked := host.DescribeBlocked(q, v, client)
	if g.events != nil {
		e := event.Describe(g.policy, r, q, v, client)
		if err := g.events.Write(e); err != nil {
			g.report("security events are lost: " + err.Error())
		}
		blocked.Reference = e.Reference
	}
	if g.policy.Mode == host.ModeDetect {
		return true
	}
	g.respond(w, r, blocked)
	return false
}

// respond sends the response. For a response that is held open, it takes over the connection if it can, to close it in time.
func (g *guard) respond(w http.ResponseWriter, r *http.Request, b *respond.Blocked) {
	response := g.policy.ResponseTo(b.Reason == engine.ReasonBanned)
	longest, holds := holdTime(response)
	isMirrored := response.Mode == "proxy" && r.ContentLength != 0 // its body is read while the response is sent
	if !holds || isMirrored {
		g.responder.Respond(w, r, b)
		return
	}
	t, request := takeOver(w, r, longest)
	if t == nil {
		g.responder.Respond(w, r, b)
		return
	}
	defer t.end()
	g.responder.Respond(t, request, b)
}

// holdTime returns how long a mode may hold a response open, and whether it does at all.
func holdTime(r *policy.Response) (longest time.Duration, holds bool) {
	switch r.Mode {
	case "tarpit":
		return time.Duration(r.TarpitMaxDurationSeconds) * time.Second, true
	case "gzip_bomb", "infinite_stream", "proxy":
		return time.Duration(r.MaxResponseSeconds) * time.Second, true
	}
	return 0, false
}

// trace writes the result of an evaluation to standard output, which Traefik shows at every log level.
func (g *guard) trace(q *engine.Request, v *engine.Verdict) {
	line := fmt.Sprintf("guard: middleware %s: evaluated method=%+q target=%+q blocked=%t reason=%s rule=%s candidate=%+q\n",
		g.name, q.Method, q.Target, v.Blocked, v.Reason, v.Rule, v.Candidate)
	_, _ = os.Stdout.Write([]byte(line))
}
