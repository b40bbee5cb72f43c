package guard

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/limits"
)

const modeDetect = "detect"

// quick is a guard whose policy looks at nothing but paths. Most requests end in it, after as few steps as there can be:
// each costs an interpreter as much as a hundred do compiled code.
type quick struct {
	next  http.Handler
	find  func(text string) string // of the gate
	seen  *sync.Map
	guard *guard
}

// ServeHTTP passes the request on or answers it.
func (q *quick) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := engine.TargetStart + r.RequestURI + engine.TargetEnd
	if len(s) < engine.GateBytes && q.find(s) == s {
		q.next.ServeHTTP(w, r)
		return
	}
	if _, isSeen := q.seen.Load(r.RequestURI); isSeen {
		q.next.ServeHTTP(w, r)
		return
	}
	q.guard.ServeHTTP(w, r)
}

// quickQuery is quick for a policy that looks at queries too.
type quickQuery struct {
	next  http.Handler
	find  func(text string) string // of the gate
	seen  *sync.Map
	guard *guard
}

// ServeHTTP passes the request on or answers it.
func (q *quickQuery) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := engine.TargetStart + r.RequestURI + engine.TargetEnd
	if len(s) < engine.GateBytes && strings.Count(s, "?") < 2 && q.find(s) == s {
		q.next.ServeHTTP(w, r)
		return
	}
	if _, isSeen := q.seen.Load(r.RequestURI); isSeen {
		q.next.ServeHTTP(w, r)
		return
	}
	q.guard.ServeHTTP(w, r)
}

// quickHeaders is quick for a policy that looks at headers and perhaps at queries, and never at bodies.
type quickHeaders struct {
	next  http.Handler
	find  func(text string) string // of the gate
	rules *engine.RuleSet
	guard *guard
}

// ServeHTTP passes the request on or answers it.
func (q *quickHeaders) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := engine.TargetStart + r.RequestURI + engine.TargetEnd
	if len(s) < engine.GateBytes && strings.Count(s, "?") < 2 && q.find(s) == s && !q.rules.InspectsAny(r.Header) {
		q.next.ServeHTTP(w, r)
		return
	}
	q.guard.ServeHTTP(w, r)
}

// handler is the guard, behind what lets most requests pass it where no body decides.
func (g *guard) handler() http.Handler {
	if g.clear == nil || g.clear.gate == nil || g.policy.CheckBody {
		return g
	}
	if len(g.policy.CheckHeaders) > 0 {
		return &quickHeaders{next: g.next, find: g.clear.gate.Find, rules: g.rules, guard: g}
	}
	if g.policy.CheckQuery {
		return &quickQuery{next: g.next, find: g.clear.gate.Find, seen: g.clear.seen, guard: g}
	}
	return &quick{next: g.next, find: g.clear.gate.Find, seen: g.clear.seen, guard: g}
}

// readsMore says that something besides the target may decide.
func (g *guard) readsMore() bool {
	return g.policy.CheckBody || len(g.policy.CheckHeaders) > 0
}

// ServeHTTP passes the request on or answers it. It reads nothing but the request, and waits for a body only where the
// policy looks at bodies and nothing before the body has decided.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.captcha != nil && g.captcha.Serves(r.RequestURI) {
		g.captcha.Serve(w, r, g.client(r))
		return
	}
	if g.clear != nil && (!g.readsMore() || !g.hasMore(r)) && g.clear.has(r.RequestURI) {
		g.next.ServeHTTP(w, r)
		return
	}
	q := describe(r)
	v, err := g.decide(r, q)
	if g.captcha != nil && v.Blocked {
		v, err = g.excuse(r, q, v)
	}
	if err != nil {
		g.fault(w, r, err)
		return
	}
	if g.policy.Debug {
		g.trace(q, &v)
	}
	if v.Blocked {
		g.block(w, r, q, &v)
		return
	}
	if g.clear != nil && len(q.Excused) == 0 { // what a pass excused is clear for nobody else
		g.clear.add(r.RequestURI, &v)
	}
	g.next.ServeHTTP(w, r)
}

// hasMore says that the request has something besides its target that the policy looks at.
func (g *guard) hasMore(r *http.Request) bool {
	if g.policy.CheckBody && r.ContentLength != 0 {
		return true
	}
	return len(g.policy.CheckHeaders) > 0 && g.rules.InspectsAny(r.Header)
}

// decide evaluates the request, with its body where that may change the verdict. The body is read once, however often it decides.
func (g *guard) decide(r *http.Request, q *engine.Request) (engine.Verdict, error) {
	v, err := g.judge(r, q)
	if err == nil && g.policy.CheckBody && q.Body == nil && g.rules.WantsBody(q, v) {
		q.Body = bodyPrefix(r, g.policy.MaxBodyBytes)
		v, err = g.judge(r, q)
	}
	return v, err
}

// judge evaluates the request, when it is its turn. The engine has no errors: what it can have is a bug.
func (g *guard) judge(r *http.Request, q *engine.Request) (v engine.Verdict, err error) {
	if g.isLong(q) {
		if err := seats.take(r.Context()); err != nil {
			return v, err
		}
		defer seats.leave()
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the engine failed: %v", fault)
			g.report(fmt.Sprintf("%+q at %+q", err.Error(), q.Target))
		}
	}()
	return g.rules.Evaluate(q), nil
}

// fault refuses a request that could not be judged, unless the guard only detects.
func (g *guard) fault(w http.ResponseWriter, r *http.Request, err error) {
	if g.policy.Mode == modeDetect {
		g.next.ServeHTTP(w, r)
		return
	}
	http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
}

// excuse decides again without the rules that blocked a visitor who has a pass for each of them.
func (g *guard) excuse(r *http.Request, q *engine.Request, v engine.Verdict) (engine.Verdict, error) {
	client := g.client(r)
	var err error
	for err == nil && v.Blocked && len(q.Excused) < limits.CaptchaRules && g.captcha.Excuses(r, client, v.Rule) {
		q.Excused = append(q.Excused, v.Rule)
		v, err = g.decide(r, q)
	}
	return v, err
}
