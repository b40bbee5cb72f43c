package engine

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/request-guard/guard/limits"
)

// formOfParts has many parts, some of which are odd, reach a limit or match a rule.
func formOfParts(r *rand.Rand) string {
	var b strings.Builder
	mostly := []string{"a word", `x%255cy;z\w/`, "/a/./b. /", "", strings.Repeat("a%20;b/", 300)}[r.Intn(5)]
	for i := range 1 + r.Intn(500) {
		name, content := fmt.Sprintf("f%d", i), mostly
		odd := r.Intn(400)
		if i == 0 {
			odd = r.Intn(6)
		}
		switch odd {
		case 0:
			name = `x\y/` + name
		case 1:
			content = strings.Repeat("a%20;b/", 1+r.Intn(1200))
		case 2:
			content = strings.Repeat("%25", r.Intn(8)) + "41"
		case 3:
			content = strings.Repeat("a", limits.MultipartContentBytes+1)
		case 4:
			name = `n"; filename*="utf-8''a%2fb`
		}
		if r.Intn(1500) == 0 {
			content = "../../etc/passwd"
		}
		fmt.Fprintf(&b, "--b\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", name, content)
	}
	if r.Intn(2) == 0 {
		b.WriteString(strings.Repeat("--b\r\n\r\n", r.Intn(limits.BodyValues)))
	}
	if r.Intn(4) == 0 {
		return b.String() + "\r\n--c\r\n\r\n../../etc/passwd"
	}
	return b.String() + "--b--\r\n"
}

// TestVerdictsOfFormsWhosePartsAreReadAtOnce compares them with those of the compiled engine, which reads one part after the other.
func TestVerdictsOfFormsWhosePartsAreReadAtOnce(t *testing.T) {
	const file = `{"methods": ["*"], "check_body": true, "body_overflow": "block", "max_body_bytes": 1048576}`
	rules, interpreted := compiled(t, file), interpretedRules(t, file)
	r := rand.New(rand.NewSource(6))
	reasons := map[string]int{}
	for range 120 {
		header := map[string][]string{"Content-Type": {"multipart/form-data; boundary=b", "multipart/form-data; boundary=c"}}
		q := &Request{Method: "POST", Target: "/", Header: header, Body: []byte(formOfParts(r))}
		want, got := rules.Evaluate(q), interpreted.Evaluate(q)
		if got != want {
			t.Fatalf("%.300q: got %+v, want %+v", q.Body, got, want)
		}
		reasons[want.Reason+want.Overflow]++
	}
	for _, reason := range []string{ReasonNoMatch, ReasonBlockPatternMatch, "limit_bodyvalues", "limit_bodyvalue"} {
		if reasons[reason] < 4 {
			t.Errorf("only %v", reasons)
		}
	}
}
