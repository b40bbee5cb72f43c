package engine

import (
	"reflect"
	"testing"
)

func TestTrace(t *testing.T) {
	rules := compiled(t, `{"check_query": true, "allow_patterns": ["^/docs/"]}`)
	got := rules.Trace(get("/docs/%2e%2e/.env?a=1"))
	want := Trace{
		Verdict: Verdict{
			Blocked: true, Reason: ReasonBlockPatternMatch, Target: "path", Candidate: "/.env",
			Rule: "env-file", Pattern: got.Verdict.Pattern,
		},
		Targets: []TracedTarget{{Target: "path", Kind: "path", Candidates: []TracedCandidate{
			{Candidate: "/docs/%2e%2e/.env", ExcusedBy: "allow[0]"},
			{Candidate: "/docs/../.env", ExcusedBy: "allow[0]"},
			{Candidate: "/.env", BlockedBy: "env-file"},
		}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTraceNamesLimits(t *testing.T) {
	rules := compiled(t, `{"check_query": true}`)
	got := rules.Trace(get(filled("/?", "a&", "")))
	last := got.Targets[len(got.Targets)-1]
	if last.Target != "query" || last.Kind != "query" || last.Limit != ReasonLimitQueryPairs || got.Verdict.Reason != last.Limit {
		t.Errorf("got %+v, verdict %+v", last, got.Verdict)
	}
}

func TestTraceOfUninspectedRequest(t *testing.T) {
	got := compiled(t, `{}`).Trace(&Request{Method: "POST", Target: "/.env"})
	if want := (Trace{Verdict: Verdict{Reason: ReasonMethodNotInspected}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}
