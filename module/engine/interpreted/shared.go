package interpreted

import (
	"sync"

	"github.com/request-guard/guard/builtin"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/policy"
)

// builtIns has the matchers and prefilters of built-in rules. All policies share them: a replacer of all these literals
// needs megabytes.
var builtIns = struct {
	mu         sync.Mutex
	matchers   map[*builtin.Rule]*match.Matcher
	prefilters map[builtInPrefilter]*prefilter
}{matchers: map[*builtin.Rule]*match.Matcher{}, prefilters: map[builtInPrefilter]*prefilter{}}

// builtInPrefilter selects the extended or standard set, the set of exploits, and literals for bodies or for paths and queries.
type builtInPrefilter struct {
	isExtended bool
	exploits   string
	inProse    bool
}

func builtInMatcher(r *builtin.Rule) *match.Matcher {
	builtIns.mu.Lock()
	defer builtIns.mu.Unlock()
	return sharedMatcher(r)
}

// sharedMatcher is like builtInMatcher, but the caller must hold the lock.
func sharedMatcher(r *builtin.Rule) *match.Matcher {
	m := builtIns.matchers[r]
	if m == nil {
		m = match.NewExpression(r.Pattern, builtin.LiteralsOf(r.Pattern).InPaths)
		builtIns.matchers[r] = m
	}
	return m
}

// sharedPrefilter returns the prefilter of the extended or standard rules, including those that the policy disables.
func sharedPrefilter(p *policy.Policy, inProse bool) *prefilter {
	key := builtInPrefilter{p.BuiltinRules == "extended", p.Exploits, inProse}
	builtIns.mu.Lock()
	defer builtIns.mu.Unlock()
	f := builtIns.prefilters[key]
	if f == nil {
		f = newSharedPrefilter(key)
		builtIns.prefilters[key] = f
	}
	return f
}

func newSharedPrefilter(key builtInPrefilter) *prefilter {
	var patterns []*match.Matcher
	for i := range builtin.Rules {
		r := &builtin.Rules[i]
		if (key.isExtended || !r.Extended) && engine.HasExploits(r, key.exploits) && (!key.inProse || appliesToBodies(r)) {
			patterns = append(patterns, sharedMatcher(r))
		}
	}
	if key.inProse {
		return newPrefilter(patterns, ignoredAfterValues, literalsInProse)
	}
	return newPrefilter(patterns, ignoredAfterNames, literalsInPaths)
}

func appliesToBodies(r *builtin.Rule) bool {
	for _, target := range r.Targets {
		if target == "body" {
			return true
		}
	}
	return false
}
