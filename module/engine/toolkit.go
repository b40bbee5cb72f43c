package engine

import (
	"runtime"
	"sync"
	"time"

	"github.com/request-guard/guard/background"
	"github.com/request-guard/guard/builtin"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/pattern"
	"github.com/request-guard/guard/policy"
)

// Toolkit has the functions with which rule sets are compiled: those of this package, or those of package interpreted.
type Toolkit struct {
	Matcher func(source string, budget *match.TableBudget) (*match.Matcher, error)
	BuiltIn func(r *builtin.Rule) *match.Matcher
	// Steps makes the steps of a policy from all its patterns, and from the patterns that apply to bodies. nil: rule sets
	// use loops over bytes.
	Steps func(p *policy.Policy, patterns, forBodies []*match.Matcher) *Steps
	// Later runs a function soon after the first policy was compiled. nil: the function is not needed.
	Later func(f func())

	once    sync.Once
	builtIn []*rule

	bodiesOnce sync.Once
	bodies     *match.Prefilter // of the built-in rules about bodies; nil until a policy needs it

	mu       sync.Mutex
	shared   *match.Prefilter // the last prefilter of only built-in rules
	matchers []*match.Matcher // the matchers of shared
}

// Steps replace loops over bytes, which take about 100 times as long in an interpreter, by compiled functions.
type Steps struct {
	IsWord func(value string) bool
	// Read returns the candidates of a path or another value, together at most limits.ViewBytes, and the reason code of the limit
	// that ended them.
	Read func(value string, isPath bool) (candidates []string, limit string)
	// JSON, Form and XML return the non-empty values of a body. isFound is false for invalid JSON. isCut: the last value is cut.
	JSON  func(body string) (values []string, isFound bool)
	Form  func(body string) []string
	XML   func(body string) (values []string, isCut bool)
	IsXML func(body string) bool
	// Escape returns a text with the bytes outside printable ASCII as % and two upper-case digits.
	Escape func(text string) string
	// QueryReadings returns the readings of a whole query.
	QueryReadings func(query string) []string
	// Suspects returns the rules that may match one of several candidates, separated by match.LineEnd, or a shorter reading of one.
	Suspects func(candidates string, isPath bool) match.Set
	// Scan reads texts of a body, in order, until their candidates exceed limits.RequestBytes. It returns each text of which no rule
	// matches a candidate. isClean: no rule matches a candidate of any text that was read.
	Scan func(texts []string) (clean map[string]Scanned, isClean bool)
}

// Scanned describes the candidates of a text that no rule matches.
type Scanned struct {
	Size  int    // bytes of the candidates
	Limit string // reason code of the limit that ended the candidates; empty: they are complete
}

// tableToolkit is the toolkit whose matchers make one look-up in a table for each byte. The tables take time to build.
var tableToolkit = &Toolkit{
	Matcher: tableOf,
	BuiltIn: func(r *builtin.Rule) *match.Matcher {
		literals := builtin.LiteralsOf(r.Pattern).InPaths
		if encoded := builtin.TablesOf(r.Pattern); encoded != "" {
			return match.NewEncoded(r.Pattern, literals, encoded)
		}
		return match.NewExpression(r.Pattern, literals) // its tables would be too large
	},
	Later: func(f func()) { background.After(decodingDelay, f) },
}

// decodingDelay is long enough for caddy validate to end before the tables are decoded.
const decodingDelay = time.Second

// prepareBuiltIn decodes the tables of the built-in rules that every policy has by default, so that requests need not.
func (k *Toolkit) prepareBuiltIn() {
	for _, r := range k.builtIn {
		if !r.isExtended && r.conditions == nil {
			r.matcher.Prepare()
			runtime.Gosched() // requests that wait for a processor come first
		}
	}
}

// prefilterOf returns a prefilter of rules. Policies with the same built-in rules share one, because it takes megabytes.
func (k *Toolkit) prefilterOf(rules []*rule, matchers []*match.Matcher) *match.Prefilter {
	for _, r := range rules {
		if r.isCustom {
			return match.NewPrefilter(matchers)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.shared == nil || !areEqual(k.matchers, matchers) {
		k.matchers = matchers
		k.shared = match.NewPrefilter(matchers)
	}
	return k.shared
}

// bodyFilter returns the prefilter of the built-in rules about bodies. All policies share it.
func (k *Toolkit) bodyFilter() *match.Prefilter {
	k.bodiesOnce.Do(func() { k.bodies = bodyFilterOf(k.builtIn) })
	return k.bodies
}

func areEqual(a, b []*match.Matcher) bool {
	for i := 0; i < len(a) && len(a) == len(b); i++ {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func tableOf(source string, budget *match.TableBudget) (*match.Matcher, error) {
	tree, err := pattern.Parse(source)
	if err != nil {
		return nil, err
	}
	return match.NewMatcher(source, tree, budget), nil
}

func (k *Toolkit) makeBuiltIn() []*rule {
	var list []*rule
	for i := range builtin.Rules {
		b := &builtin.Rules[i]
		r := newRule(b.ID, b.Action, b.Pattern, b.Targets, k.BuiltIn(b))
		r.isExtended = b.Extended
		r.conditions = conditionsOf(b, i)
		list = append(list, r)
	}
	return list
}
