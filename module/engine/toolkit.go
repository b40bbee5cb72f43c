package engine

import (
	"regexp/syntax"
	"sync"

	"github.com/request-guard/guard/builtin"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/pattern"
)

// toolkit is what rule sets are made with.
type toolkit struct {
	matcher func(source string) (*match.Matcher, error)
	// isInterpreted says that loops over bytes are to be avoided.
	isInterpreted bool
	// literals are those of a built-in rule; nil: they are to be found in its pattern.
	literals func(pattern string) []string

	once    sync.Once
	builtIn []*rule
}

// tables costs one look-up for each byte, and time at the start.
var tables = &toolkit{
	matcher: func(source string) (*match.Matcher, error) {
		tree, err := pattern.Parse(source)
		if err != nil {
			return nil, err
		}
		return match.NewMatcher(source, tree), nil
	},
	literals: func(_ string) []string { return nil },
}

// expressions costs calls of the standard library, however long the text is.
var expressions = &toolkit{
	matcher: func(source string) (*match.Matcher, error) {
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			return nil, err
		}
		return match.NewExpression(source, match.RequiredLiterals(tree)), nil
	},
	isInterpreted: true,
	literals:      builtin.Literals,
}

func (k *toolkit) makeBuiltIn() []*rule {
	var list []*rule
	for _, b := range builtin.Rules {
		list = append(list, newRule(b.ID, b.Action, b.Pattern, b.Targets, k.builtInMatcher(b)))
	}
	return list
}

func (k *toolkit) builtInMatcher(b builtin.Rule) *match.Matcher {
	if literals := k.literals(b.Pattern); literals != nil {
		return match.NewExpression(b.Pattern, literals)
	}
	m, err := k.matcher(b.Pattern)
	if err != nil {
		panic(err) // the generated rules are not those that the tests ran with
	}
	return m
}
