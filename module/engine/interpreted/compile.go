// Package interpreted is what the engine leaves to compiled functions of the standard library in Traefik's interpreter, where a loop
// over bytes takes about 100 times as long and the client chooses the bytes. The verdicts are those of package engine.
package interpreted

import (
	"regexp/syntax"

	"github.com/request-guard/guard/builtin"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/policy"
)

// Compile compiles a policy, which must come from package policy: that has checked its patterns. It keeps p, which must not change
// afterwards.
func Compile(p *policy.Policy) (*engine.RuleSet, error) { return toolkit.Compile(p) }

var toolkit = &engine.Toolkit{
	Matcher: func(source string, _ *match.TableBudget) (*match.Matcher, error) {
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			return nil, err
		}
		return match.NewExpression(source, match.RequiredLiterals(tree)), nil
	},
	BuiltIn: func(r *builtin.Rule) *match.Matcher {
		return match.NewExpression(r.Pattern, builtin.LiteralsOf(r.Pattern).InPaths)
	},
	Steps: stepsOf,
}

func stepsOf(p *policy.Policy, patterns, forBodies []*match.Matcher) *engine.Steps {
	search := newPrefilter(patterns, afterNames, func(m *match.Matcher) []string { return m.Literals() })
	steps := &engine.Steps{
		IsWord: isWord, Read: read, JSON: jsonValues, Form: formValues, XML: xmlValues, IsXML: isXML, Suspects: search.suspects,
	}
	inProse := newPrefilter(forBodies, afterValues, literalsInProse)
	steps.Scan = func(values []string, hasPluses bool) *engine.Scan { return scanned(inProse, values, hasPluses) }
	return steps
}

func literalsInProse(m *match.Matcher) []string {
	if literals := builtin.LiteralsOf(m.Source()); literals != nil {
		return literals.InProse
	}
	tree, err := syntax.Parse(m.Source(), syntax.Perl)
	if err != nil {
		panic(err) // it was parsed before
	}
	return match.RequiredInProse(tree)
}
