package engine_test

import (
	"testing"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/interpreted"
	"github.com/request-guard/guard/internal/vectors"
	"github.com/request-guard/guard/policy"
)

func TestVerdictVectors(t *testing.T) {
	for _, group := range vectors.Read[engine.VerdictTest](t, "verdicts", vectors.VerdictFiles...) {
		p, problems := policy.LoadCamelCase(group.Policy)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", group.Description, problems)
		}
		for name, compile := range map[string]func(*policy.Policy) (*engine.RuleSet, error){
			"compiled": engine.Compile, "first": engine.CompileAsFirst, "interpreted": interpreted.Compile,
		} {
			rules, err := compile(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range group.Tests {
				t.Run(name+"/"+test.ID, func(t *testing.T) {
					test.Check(t, rules.Evaluate(test.Request.Read(t)))
				})
			}
		}
	}
}

// A verdict must not depend on former requests for the same target.
func TestVectorsBehindAPlainRequestForTheirTarget(t *testing.T) {
	for _, group := range vectors.Read[engine.VerdictTest](t, "verdicts", vectors.VerdictFiles...) {
		p, _ := policy.LoadCamelCase(group.Policy)
		rules, err := engine.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range group.Tests {
			r := test.Request.Read(t)
			for _, host := range []string{"", r.Host} {
				rules.Evaluate(&engine.Request{Method: "GET", Target: r.Target, Host: host})
			}
			for range 2 {
				t.Run(test.ID, func(t *testing.T) { test.Check(t, rules.Evaluate(r)) })
			}
		}
	}
}

func TestTargetPrefilterPassesNothingThatVectorsBlock(t *testing.T) {
	passing := 0
	for _, group := range vectors.Read[engine.VerdictTest](t, "verdicts", vectors.VerdictFiles...) {
		p, _ := policy.LoadCamelCase(group.Policy)
		rules, err := interpreted.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		prefilter := interpreted.NewTargetPrefilter(rules, p.CheckQuery)
		if prefilter == nil {
			continue
		}
		for _, test := range group.Tests {
			r := test.Request.Read(t)
			r.HasRewritten = false
			if !prefilter.PassesInAnyCase(r.Target) && !prefilter.Passes(r.Target) {
				continue
			}
			passing++
			if v := rules.Evaluate(r); v.Blocked && (v.Target == "path" || v.Target == "query") {
				t.Errorf("%s: %q passes the prefilter and is blocked: %+v", test.ID, r.Target, v)
			}
		}
	}
	if passing == 0 {
		t.Error("no target passed")
	}
}
