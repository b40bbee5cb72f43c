package engine

import (
	"encoding/json"
	"net/textproto"
	"testing"

	"github.com/request-guard/guard/internal/vectors"
)

// VerdictTest is exported for the tests of package engine_test. They import package interpreted, which imports this
// package.
type VerdictTest struct {
	vectors.Named
	Request VectorRequest `json:"request"`
	Expect  struct {
		Verdict, Reason, Target, Candidate, Rule string
		Body                                     struct {
			Overflow      string
			Values, Bytes int
		}
	}
}

type VectorRequest struct {
	Method       *string
	Target       *string
	TargetBase64 string
	Rewritten    *string
	Headers      []vectorHeader
	Body         *string
	BodyBase64   string
	IP, Host     string
}

func (test *VerdictTest) Check(t *testing.T, got Verdict) {
	want := test.Expect
	if got.Blocked != (want.Verdict == "blocked") || got.Reason != want.Reason || got.Target != want.Target ||
		got.Candidate != want.Candidate || got.Rule != want.Rule || got.Overflow != want.Body.Overflow ||
		got.InspectedValues != want.Body.Values || got.InspectedBytes != want.Body.Bytes {
		t.Errorf("%s: got %+v, want %+v", test.Description, got, want)
	}
}

// Read returns the request as a Go server reads it: names of headers in canonical form, values as bytes.
func (v *VectorRequest) Read(t testing.TB) *Request {
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
