package engine

import (
	"encoding/json"
	"net/textproto"
	"slices"
	"testing"

	"github.com/request-guard/guard/internal/vectors"
	"github.com/request-guard/guard/policy"
)

var candidateFiles = []string{
	"candidates-bytes", "candidates-corpus", "candidates-limits", "candidates-mixtures-1", "candidates-mixtures-2",
	"candidates-mixtures-3", "candidates-servers",
}

func TestCandidateVectors(t *testing.T) {
	type test struct {
		vectors.Named
		Input       *string  `json:"input"`
		InputBase64 string   `json:"inputBase64"`
		Candidates  []string `json:"candidates"`
		Limit       string   `json:"limit"`
	}
	rules := compiled(t, `{}`)
	for _, group := range vectors.Read[test](t, "candidates", candidateFiles...) {
		for _, test := range group.Tests {
			t.Run(test.ID, func(t *testing.T) {
				got, limit := rules.pathCandidates(string(vectors.Bytes(t, test.Input, test.InputBase64)))
				if !slices.Equal(got, test.Candidates) || limit != test.Limit {
					t.Errorf("%s: got %q %q, want %q %q", test.Description, got, limit, test.Candidates, test.Limit)
				}
			})
		}
	}
}

var verdictFiles = []string{
	"verdicts-body", "verdicts-body-encoding", "verdicts-body-guesses", "verdicts-body-limits", "verdicts-body-overflow", "verdicts-body-types", "verdicts-client", "verdicts-exceptions", "verdicts-headers", "verdicts-limits",
	"verdicts-multipart", "verdicts-multipart-charset", "verdicts-multipart-encoding", "verdicts-multipart-lines", "verdicts-order", "verdicts-own", "verdicts-patterns", "verdicts-prefilters", "verdicts-query", "verdicts-query-json",
	"verdicts-readings", "verdicts-rules-access", "verdicts-rules-attacks", "verdicts-rules-exploits",
	"verdicts-rules-files", "verdicts-rules-names", "verdicts-rules-secrets", "verdicts-rules-system", "verdicts-scopes", "verdicts-switches",
	"verdicts-targets", "verdicts-xml", "verdicts-xml-joined",
}

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
	Headers      []vectorHeader
	Body         *string
	BodyBase64   string
	IP, Host     string
}

func TestVerdictVectors(t *testing.T) {
	for _, group := range vectors.Read[verdictTest](t, "verdicts", verdictFiles...) {
		p, problems := policy.LoadUniversal(group.Policy)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", group.Description, problems)
		}
		for name, compile := range map[string]func(*policy.Policy) (*RuleSet, error){
			"compiled": Compile, "interpreted": CompileInterpreted,
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

func (test *verdictTest) check(t *testing.T, got Verdict) {
	want := test.Expect
	if got.Blocked != (want.Verdict == "blocked") || got.Reason != want.Reason || got.Target != want.Target ||
		got.Candidate != want.Candidate || got.Rule != want.Rule || got.Overflow != want.Body.Overflow ||
		got.InspectedValues != want.Body.Values || got.InspectedBytes != want.Body.Bytes {
		t.Errorf("%s: got %+v, want %+v", test.Description, got, want)
	}
}

// request is the request as a Go server reads it: names of headers in canonical form, values as bytes.
func (v *vectorRequest) request(t testing.TB) *Request {
	r := &Request{Method: "GET", Target: "/", Peer: v.IP, Host: v.Host, Header: map[string][]string{}}
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
		name := textproto.CanonicalMIMEHeaderKey(h.name)
		r.Header[name] = append(r.Header[name], h.value)
	}
	r.Body = vectors.Bytes(t, v.Body, v.BodyBase64)
	return r
}

// vectorHeader is a list of a name and a value. The value is text, or an object with base64.
type vectorHeader struct{ name, value string }

func (h *vectorHeader) UnmarshalJSON(text []byte) error {
	var encoded struct{ Base64 []byte }
	if json.Unmarshal(text, &[]any{&h.name, &h.value}) == nil {
		return nil
	}
	err := json.Unmarshal(text, &[]any{&h.name, &encoded})
	h.value = string(encoded.Base64)
	return err
}
