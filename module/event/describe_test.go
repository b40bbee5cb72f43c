package event

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

const inspectsBodies = `{"methods": ["*"], "checkBody": true, "maxBodyBytes": 1000, "bodyOverflow": "block"}`

// eventOf returns the event line of a request that the engine blocks, as an object.
func eventOf(t *testing.T, text string, q *engine.Request) map[string]any {
	t.Helper()
	p, problems := policy.LoadCamelCase([]byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	rules, err := engine.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	v := rules.Evaluate(q)
	if !v.Blocked {
		t.Fatalf("%.100q is not blocked: %+v", q.Body, v)
	}
	line := Describe(p, &http.Request{Host: "example.com"}, q, &v, "192.0.2.1").Line("caddy")
	var got map[string]any
	if err := json.Unmarshal(line, &got); err != nil || len(line) > limits.EventBytes {
		t.Fatalf("%v: %s", err, line)
	}
	return got
}

func TestTheEventSaysHowMuchOfABodyWasInspected(t *testing.T) {
	const form, asJSON = "application/x-www-form-urlencoded", "application/json"
	for _, c := range []struct {
		contentType, body, overflow string
		values, bytes               float64
	}{
		{asJSON, "[" + strings.Repeat(`"/a/b",`, 100) + "'/c']", "malformed", 100, 400},
		{form, "a=/b&c=/d/e&f=" + strings.Repeat("g/", 600), "length", 6, 995},
		{asJSON + "; charset=utf-16", `["/b", "/d/e"]`, "charset", 2, 6},
	} {
		header := http.Header{"Content-Type": {c.contentType}}
		got := eventOf(t, inspectsBodies, &engine.Request{Method: "POST", Target: "/upload", Header: header, Body: []byte(c.body)})
		for name, want := range map[string]any{
			"reason": engine.ReasonLimitBody, "target": "body", "overflow": c.overflow,
			"inspected_values": c.values, "inspected_bytes": c.bytes,
		} {
			if got[name] != want {
				t.Errorf("%s of %s: got %v, want %v", name, c.overflow, got[name], want)
			}
		}
	}
}

func TestTheEventShowsTheMatchInALongPath(t *testing.T) {
	const match = "/.git/config"
	for _, before := range []int{0, 500, 750, 1000, 1500} {
		path := strings.Repeat("/a", before) + match + strings.Repeat("/a", 1500-before)
		got := eventOf(t, `{}`, &engine.Request{Method: "GET", Target: path})
		candidate, _ := got["candidate"].(string)
		isTail, isHead := strings.HasPrefix(candidate, "..."), strings.HasSuffix(candidate, "...")
		if !strings.Contains(candidate, match) || isTail != (before >= 500) || isHead != (before < 1500) {
			t.Errorf("%d bytes before the match: %s", 2*before, candidate)
		}
	}
}
