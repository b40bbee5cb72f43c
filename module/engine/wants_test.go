package engine

import (
	"fmt"
	"testing"
)

func TestWantsBody(t *testing.T) {
	for _, c := range []struct {
		name   string
		header map[string][]string
		reason string
		check  bool
		want   bool
	}{
		{"form", map[string][]string{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}, ReasonNoMatch, true, true},
		{"json by suffix", map[string][]string{"Content-Type": {"Application/Problem+JSON"}}, ReasonNoMatch, true, true},
		{"multipart", map[string][]string{"Content-Type": {"multipart/form-data; boundary=x"}}, ReasonAllowPatternMatch, true, true},
		{"form on the second line", map[string][]string{"Content-Type": {"text/plain", "application/x-www-form-urlencoded"}}, ReasonNoMatch, true, true},
		{"form in a list", map[string][]string{"Content-Type": {"text/plain, application/x-www-form-urlencoded"}}, ReasonNoMatch, true, true},
		{"not encoded", map[string][]string{"Content-Type": {"application/json"}, "Content-Encoding": {"identity"}}, ReasonNoMatch, true, true},
		{"encoded", map[string][]string{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, ReasonNoMatch, true, true},
		{"stream", map[string][]string{"Content-Type": {"application/grpc"}}, ReasonNoMatch, true, false},
		{"no type", nil, ReasonNoMatch, true, true},
		{"text", map[string][]string{"Content-Type": {"text/plain"}}, ReasonNoMatch, true, true},
		{"image", map[string][]string{"Content-Type": {"image/png"}}, ReasonNoMatch, true, false},
		{"stream of JSON", map[string][]string{"Content-Type": {"application/connect+json"}}, ReasonNoMatch, true, false},
		{"lines of JSON", map[string][]string{"Content-Type": {"application/x-ndjson"}}, ReasonNoMatch, true, false},
		{"events", map[string][]string{"Content-Type": {"text/event-stream"}}, ReasonNoMatch, true, false},
		{"decided", map[string][]string{"Content-Type": {"application/json"}}, ReasonAllowedIp, true, false},
		{"blocked", map[string][]string{"Content-Type": {"application/json"}}, ReasonBlockPatternMatch, true, false},
		{"bodies are not inspected", map[string][]string{"Content-Type": {"application/json"}}, ReasonNoMatch, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := compiled(t, fmt.Sprintf(`{"check_body": %t}`, c.check))
			if got := rules.WantsBody(&Request{Header: c.header}, Verdict{Reason: c.reason}); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
