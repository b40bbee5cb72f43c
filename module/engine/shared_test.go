package engine

import (
	"sync"
	"testing"

	"github.com/request-guard/guard/policy"
)

func TestManyGoroutinesShareARuleSet(t *testing.T) {
	rules, reference := compiled(t, everything), compiled(t, everything)
	want := map[string]Verdict{}
	for _, target := range targets {
		want[target.target] = reference.Evaluate(get(target.target))
	}
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 3 {
				for _, target := range targets {
					if got := rules.Evaluate(get(target.target)); got != want[target.target] {
						t.Errorf("%s: got %+v, want %+v", target.name, got, want[target.target])
					}
				}
			}
		}()
	}
	all.Wait()
}

func TestCompileRefusesWhatTheGrammarRefuses(t *testing.T) {
	for _, p := range []*policy.Policy{
		{BlockPatterns: []string{"(a"}},
		{Rules: []policy.Rule{{ID: "a", Action: "allow", Pattern: "a(?=b)"}}},
		{Exceptions: []policy.Exception{{Path: "[z-a]"}}},
	} {
		if _, err := Compile(p); err == nil {
			t.Errorf("%+v was compiled", p)
		}
	}
}
