package engine

import (
	"regexp/syntax"
	"sync"

	"github.com/request-guard/guard/builtin"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/pattern"
)

// toolkit builds rule sets.
type toolkit struct {
	matcher func(source string, budget *match.TableBudget) (*match.Matcher, error)
	// isInterpreted is set where loops over bytes are expensive.
	isInterpreted bool
	// builtInLiterals returns those of a built-in rule; nil: they are computed from the pattern.
	builtInLiterals func(pattern string) *builtin.Literals

	once    sync.Once
	builtIn []*rule
}

// tables match with one look-up a byte. Building them takes time at the start.
var tables = &toolkit{
	matcher: func(source string, budget *match.TableBudget) (*match.Matcher, error) {
		tree, err := pattern.Parse(source)
		if err != nil {
			return nil, err
		}
		return match.NewMatcher(source, tree, budget), nil
	},
	builtInLiterals: func(_ string) *builtin.Literals { return nil },
}

// expressions match with a few calls of the standard library, whatever the length of the text.
var expressions = &toolkit{
	matcher: func(source string, _ *match.TableBudget) (*match.Matcher, error) {
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			return nil, err
		}
		return match.NewExpression(source, match.RequiredLiterals(tree), match.RequiredInProse(tree)), nil
	},
	isInterpreted:   true,
	builtInLiterals: builtin.LiteralsOf,
}

func (k *toolkit) makeBuiltIn() []*rule {
	var list []*rule
	for _, b := range builtin.Rules {
		r := newRule(b.ID, b.Action, b.Pattern, b.Targets, k.builtInMatcher(b))
		r.isExtended = b.Extended
		list = append(list, r)
	}
	return list
}

func (k *toolkit) builtInMatcher(b builtin.Rule) *match.Matcher {
	if literals := k.builtInLiterals(b.Pattern); literals != nil {
		return match.NewExpression(b.Pattern, literals.InPaths, literals.InProse)
	}
	m, err := k.matcher(b.Pattern, nil)
	if err != nil {
		panic(err) // the generated rules were changed after the tests ran
	}
	return m
}
