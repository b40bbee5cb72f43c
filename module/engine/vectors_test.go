package engine_test

import (
	"net/textproto"
	"testing"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/interpreted"
	"github.com/request-guard/guard/internal/vectors"
	"github.com/request-guard/guard/policy"
)

type verdictTest struct {
	vectors.Named
	Request vectorRequest `json:"request"`
	Expect  struct {
		Verdict, Reason, Target, Candidate, Rule string
		Body                                     struct {
			Overflow      string
			Values, Bytes int
		}
	}
}

type vectorRequest struct {
	Method       *string
	Target       *string
	TargetBase64 string
	Rewritten    *string
	Headers      [][2]string
	Body         *string
	BodyBase64   string
	IP, Host     string
}

func TestVerdictVectors(t *testing.T) {
	for _, group := range vectors.Read[verdictTest](t, "verdicts", vectors.VerdictFiles...) {
		p, problems := policy.LoadUniversal(group.Policy)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", group.Description, problems)
		}
		for name, compile := range map[string]func(*policy.Policy) (*engine.RuleSet, error){
			"compiled": engine.Compile, "interpreted": interpreted.Compile,
		} {
			rules, err := compile(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range group.Tests {
				t.Run(name+"/"+test.ID, func(t *testing.T) {
					test.check(t, rules.Evaluate(test.Request.request(t)))
				})
			}
		}
	}
}

func (test *verdictTest) check(t *testing.T, got engine.Verdict) {
	want := test.Expect
	if got.Blocked != (want.Verdict == "blocked") || got.Reason != want.Reason || got.Target != want.Target ||
		got.Candidate != want.Candidate || got.Rule != want.Rule || got.Overflow != want.Body.Overflow ||
		got.InspectedValues != want.Body.Values || got.InspectedBytes != want.Body.Bytes {
		t.Errorf("%s: got %+v, want %+v", test.Description, got, want)
	}
}

// request is the request as a Go server reads it: names of headers in canonical form, values as bytes.
func (v *vectorRequest) request(t testing.TB) *engine.Request {
	r := &engine.Request{Method: "GET", Target: "/", Peer: v.IP, Host: v.Host, Header: map[string][]string{}}
	if v.Method != nil {
		r.Method = *v.Method
	}
	if v.Target != nil || v.TargetBase64 != "" {
		r.Target = string(vectors.Bytes(t, v.Target, v.TargetBase64))
	}
	if v.Rewritten != nil {
		r.Rewritten, r.HasRewritten = *v.Rewritten, true
	}
	for _, h := range v.Headers {
		name := textproto.CanonicalMIMEHeaderKey(h[0])
		r.Header[name] = append(r.Header[name], latin1(h[1]))
	}
	r.Body = vectors.Bytes(t, v.Body, v.BodyBase64)
	return r
}

// latin1 returns the bytes of a text with one character for each byte.
func latin1(text string) string {
	var bytes []byte
	for _, c := range text {
		bytes = append(bytes, byte(c))
	}
	return string(bytes)
}

func TestTargetPrefilterPassesNothingThatVectorsBlock(t *testing.T) {
	passing := 0
	for _, group := range vectors.Read[verdictTest](t, "verdicts", vectors.VerdictFiles...) {
		p, _ := policy.LoadUniversal(group.Policy)
		rules, err := interpreted.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		prefilter := interpreted.NewTargetPrefilter(rules, p.CheckQuery)
		if prefilter == nil {
			continue
		}
		for _, test := range group.Tests {
			r := test.Request.request(t)
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
