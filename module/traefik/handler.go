package traefik

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/interpreted"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/respond"
)

// pathPrefilter is the fast path for policies that inspect only paths. Interpreted statements cost about 100 times as much as
// compiled ones.
type pathPrefilter struct {
	next  http.Handler
	find  func(text string) string // TargetPrefilter.Find
	seen  *sync.Map                // allowedTargets.seen
	guard *guard
}

// ServeHTTP calls the next handler where the prefilter or an earlier verdict allows the target, otherwise the guard.
func (q *pathPrefilter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header["Upgrade"] != nil || r.Method == http.MethodConnect { // host.MaySwitch without a call
		q.guard.ServeHTTP(w, r)
		return
	}
	s := interpreted.TargetStart + r.RequestURI + interpreted.TargetEnd
	if len(s) < interpreted.PrefilterBytes && q.find(s) == s {
		q.next.ServeHTTP(w, r)
		return
	}
	if _, isSeen := q.seen.Load(r.RequestURI); isSeen {
		q.next.ServeHTTP(w, r)
		return
	}
	q.guard.ServeHTTP(w, r)
}

// queryPrefilter is the pathPrefilter of a policy that also inspects queries.
type queryPrefilter struct {
	next  http.Handler
	find  func(text string) string
	seen  *sync.Map
	guard *guard
}

func (q *queryPrefilter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header["Upgrade"] != nil || r.Method == http.MethodConnect { // host.MaySwitch without a call
		q.guard.ServeHTTP(w, r)
		return
	}
	s := interpreted.TargetStart + r.RequestURI + interpreted.TargetEnd
	if len(s) < interpreted.PrefilterBytes && strings.Count(s, "?") < 2 && q.find(s) == s {
		q.next.ServeHTTP(w, r)
		return
	}
	if _, isSeen := q.seen.Load(r.RequestURI); isSeen {
		q.next.ServeHTTP(w, r)
		return
	}
	q.guard.ServeHTTP(w, r)
}

// headerPrefilter is the pathPrefilter of a policy that inspects headers and perhaps queries.
type headerPrefilter struct {
	next  http.Handler
	find  func(text string) string
	rules *engine.RuleSet
	guard *guard
}

// ServeHTTP calls the next handler where the prefilter allows the target and no header is inspected, otherwise the guard.
func (q *headerPrefilter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header["Upgrade"] != nil || r.Method == http.MethodConnect { // host.MaySwitch without a call
		q.guard.ServeHTTP(w, r)
		return
	}
	s := interpreted.TargetStart + r.RequestURI + interpreted.TargetEnd
	if len(s) < interpreted.PrefilterBytes && strings.Count(s, "?") < 2 && q.find(s) == s && !q.rules.InspectsAny(r.Header) {
		q.next.ServeHTTP(w, r)
		return
	}
	q.guard.ServeHTTP(w, r)
}

// handler returns the guard. It is behind a prefilter if the rules have one, and the policy inspects no bodies and serves no
// path of a captcha.
func (g *guard) handler() http.Handler {
	if g.bans != nil {
		return newBanGate(g, g.unbanned())
	}
	return g.unbanned()
}

// unbanned returns the handler of clients that no ban list has.
func (g *guard) unbanned() http.Handler {
	if g.allowed == nil || g.allowed.prefilter == nil || g.rules.ReadsBodies() || g.responder.Captcha != nil {
		return g
	}
	if g.inspectsHeaders {
		return &headerPrefilter{next: g.next, find: g.allowed.prefilter.Find, rules: g.rules, guard: g}
	}
	if g.policy.CheckQuery {
		return &queryPrefilter{next: g.next, find: g.allowed.prefilter.Find, seen: g.allowed.seen, guard: g}
	}
	return &pathPrefilter{next: g.next, find: g.allowed.prefilter.Find, seen: g.allowed.seen, guard: g}
}

func (g *guard) inspectsMore() bool { return g.rules.ReadsBodies() || g.inspectsHeaders }

// ServeHTTP inspects a body only where the policy requires it and other parts of the request did not decide. It waits for no other
// body, except the solution of a captcha.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent := r.Body
	if !g.passes(w, r) || host.MaySwitch(r) && g.endsSwitch(w, r) {
		return
	}
	if g.rules.ReadsBodies() && r.ContentLength != 0 {
		// The proxy closes the body of rejoin, whose Close does nothing. A transport that is still reading the original must stop.
		defer sent.Close()
	}
	g.next.ServeHTTP(w, r)
}

var upgradeNote sync.Once

// endsSwitch reports whether it has refused the request. To Traefik a CONNECT is a tunnel also if it names a protocol (RFC 9220).
func (g *guard) endsSwitch(w http.ResponseWriter, r *http.Request) bool {
	found := g.inspector.KeepsConnection(r, describe(r), engine.Connect)
	if found.Refused != "" {
		upgradeNote.Do(func() { g.report(g.inspector.DescribeUpgrade(found.Refused, "allowUpgrades")) })
	}
	if found.Ends {
		respond.Refuse(w, r, http.StatusNotImplemented)
	}
	return found.Ends
}

// passes reports whether the request goes to the next handler. It has responded to all others.
func (g *guard) passes(w http.ResponseWriter, r *http.Request) bool {
	if captcha := g.responder.Captcha; captcha != nil && captcha.Serves(r.RequestURI) {
		captcha.Serve(w, r, g.client(r))
		return false
	}
	if g.allowed != nil && (!g.inspectsMore() || !g.hasInspectedParts(r)) && g.allowed.has(r.RequestURI) {
		return true
	}
	q := describe(r)
	v, err := g.inspector.Decide(r, q)
	if err != nil {
		return g.fault(w, r, err)
	}
	if g.policy.Debug {
		g.trace(q, &v)
	}
	if v.Blocked {
		return g.block(w, r, q, &v)
	}
	if g.allowed != nil && len(q.Excused) == 0 { // what a pass excused is not allowed for other visitors
		g.allowed.add(r.RequestURI, &v)
	}
	return true
}

func (g *guard) hasInspectedParts(r *http.Request) bool {
	if g.rules.ReadsBodies() && r.ContentLength != 0 {
		return true
	}
	return g.inspectsHeaders && g.rules.InspectsAny(r.Header)
}

func (g *guard) logFailure(q *engine.Request, err error) {
	g.report(fmt.Sprintf("%+q at %+q", err.Error(), q.Target))
}

// fault refuses a request that has no verdict. A guard that only detects passes it on, unless its body cannot be read.
func (g *guard) fault(w http.ResponseWriter, r *http.Request, err error) bool {
	isBusy := errors.Is(err, host.ErrBusy)
	status := respond.BrokenBody(r.Context(), err)
	if isBusy || errors.Is(err, host.ErrEngine) {
		if g.policy.Mode == host.ModeDetect {
			return true
		}
		status = http.StatusInternalServerError
	}
	if isBusy {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	}
	respond.Refuse(w, r, status)
	return false
}
