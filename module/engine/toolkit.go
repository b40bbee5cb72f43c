package engine

import (
	"sync"

	"github.com/request-guard/guard/builtin"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/pattern"
	"github.com/request-guard/guard/policy"
)

// Toolkit makes rule sets.
type Toolkit struct {
	// Matcher makes the matcher of a custom pattern.
	Matcher func(source string, budget *match.TableBudget) (*match.Matcher, error)
	// BuiltIn makes the matcher of a built-in rule.
	BuiltIn func(r *builtin.Rule) *match.Matcher
	// Steps makes those of a policy from all patterns, and from those for bodies; nil: its rule sets use loops over bytes.
	Steps func(p *policy.Policy, patterns, forBodies []*match.Matcher) *Steps

	once    sync.Once
	builtIn []*rule
}

// Steps are what an interpreted program leaves to compiled functions: there, a loop over bytes takes about 100 times as long. They
// decide what the loops of this package decide.
type Steps struct {
	// IsWord reports whether a value of a body is a word.
	IsWord func(value string) bool
	// Read calls take with each candidate of a value until it returns false. It returns false where limits.DecodeRounds are not
	// enough.
	Read func(value string, take func(candidate string) bool) bool
	// JSON, Form and XML return the values of a body that are not empty. JSON returns false where the loops must find them. The last
	// value of XML may be cut.
	JSON  func(body string) (values []string, isFound bool)
	Form  func(body string) []string
	XML   func(body string) (values []string, isCut bool)
	IsXML func(body string) bool
	// Suspects returns the rules that may match one of several candidates with match.LineEnd between them, or what servers read
	// instead of it.
	Suspects func(candidates string, isPath bool) match.Set
	// Scan reads values of a body at once; nil: there is too much to read. hasPluses: a plus is also a space.
	Scan func(values []string, hasPluses, isExact bool) *Scan
}

// Scan is what values of a body are read as.
type Scan struct {
	Matched  map[string]bool // the candidates that a rule matches
	IsWhole  bool            // limits.DecodeRounds are enough
	Size     int             // bytes of all candidates; at most, where it is not exact
	NotWords int             // values that are not words
}

// tables match with one look-up a byte. Building them takes time at the start.
var tables = &Toolkit{
	Matcher: tableOf,
	BuiltIn: func(r *builtin.Rule) *match.Matcher {
		m, err := tableOf(r.Pattern, nil)
		if err != nil {
			panic(err) // the generated rules were changed after the tests ran
		}
		return m
	},
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
		list = append(list, r)
	}
	return list
}
