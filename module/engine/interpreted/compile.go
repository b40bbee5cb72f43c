// Package interpreted replaces the loops over bytes of package engine in Traefik's interpreter, where such loops take
// about 100 times as long. Its functions call compiled functions of the standard library. The verdicts are those of
// package engine.
package interpreted

import (
	"regexp/syntax"

	"github.com/request-guard/guard/builtin"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/policy"
)

// Compile compiles a policy whose patterns package policy has checked. The result refers to p, which must not change afterwards.
func Compile(p *policy.Policy) (*engine.RuleSet, error) { return toolkit.Compile(p) }

var toolkit = &engine.Toolkit{
	Matcher: func(source string, _ *match.TableBudget) (*match.Matcher, error) {
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			return nil, err
		}
		return match.NewExpression(source, match.RequiredLiterals(tree)), nil
	},
	BuiltIn: builtInMatcher,
	Steps:   stepsOf,
}

func stepsOf(p *policy.Policy, patterns, forBodies []*match.Matcher) *engine.Steps {
	inPaths := newSearch(patterns, sharedPrefilter(p, false), ignoredAfterNames, literalsInPaths)
	inProse := newSearch(forBodies, sharedPrefilter(p, true), ignoredAfterValues, literalsInProse)
	return &engine.Steps{
		IsWord: isWord, Read: read, JSON: jsonValues, Form: formValues, XML: xmlValues, IsXML: isXML, Suspects: inPaths.findSuspects,
		QueryReadings: queryReadings, Escape: escapedLine,
		Scan: func(texts []string) (clean map[string]engine.Scanned, isClean bool) { return scanTexts(inProse, texts) },
	}
}

func literalsInPaths(m *match.Matcher) []string { return m.Literals() }

func literalsInProse(m *match.Matcher) []string {
	if literals := builtin.LiteralsOf(m.Source()); literals != nil {
		return literals.InProse
	}
	tree, err := syntax.Parse(m.Source(), syntax.Perl)
	if err != nil {
		panic(err) // package policy has parsed it before
	}
	return match.RequiredInProse(tree)
}
