package engine

import (
	"testing"

	"github.com/request-guard/guard/policy"
)

func TestWantsBody(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name   string
		header map[string][]string
		reason string
		check  *bool
		want   bool
	}{
		{"form", map[string][]string{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}, ReasonNoMatch, &yes, true},
		{"json by suffix", map[string][]string{"Content-Type": {"Application/Problem+JSON"}}, ReasonNoMatch, &yes, true},
		{"multipart", map[string][]string{"Content-Type": {"multipart/form-data; boundary=x"}}, ReasonAllowPatternMatch, &yes, true},
		{"form on the second line", map[string][]string{"Content-Type": {"text/plain", "application/x-www-form-urlencoded"}}, ReasonNoMatch, &yes, true},
		{"form in a list", map[string][]string{"Content-Type": {"text/plain, application/x-www-form-urlencoded"}}, ReasonNoMatch, &yes, true},
		{"not encoded", map[string][]string{"Content-Type": {"application/json"}, "Content-Encoding": {"identity"}}, ReasonNoMatch, &yes, true},
		{"encoded", map[string][]string{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, ReasonNoMatch, &yes, false},
		{"stream", map[string][]string{"Content-Type": {"application/grpc"}}, ReasonNoMatch, &yes, false},
		{"no type", nil, ReasonNoMatch, &yes, false},
		{"decided", map[string][]string{"Content-Type": {"application/json"}}, ReasonAllowedIp, &yes, false},
		{"blocked", map[string][]string{"Content-Type": {"application/json"}}, ReasonBlockPatternMatch, &yes, false},
		{"bodies are not inspected", map[string][]string{"Content-Type": {"application/json"}}, ReasonNoMatch, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, problems := policy.Resolve(&policy.File{CheckBody: c.check})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			rules, err := Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			if got := rules.WantsBody(&Request{Header: c.header}, Verdict{Reason: c.reason}); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
