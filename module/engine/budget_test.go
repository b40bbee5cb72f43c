package engine

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/request-guard/guard/limits"
)

// TestBodyHasASeparateBudget first uses nearly the whole budget of the request for headers.
func TestBodyHasASeparateBudget(t *testing.T) {
	var names []string
	request := &Request{Method: "GET", Target: "/", Header: map[string][]string{"Content-Type": {"application/json"}}}
	for i := range limits.RequestBytes/limits.HeaderBytes - 1 {
		name := fmt.Sprintf("X-Original-Url-%d", i)
		names = append(names, strconv.Quote(name))
		request.Header[name] = []string{"/" + strings.Repeat("a", limits.HeaderBytes-1)}
	}
	rules := compiled(t, `{"check_body": true, "check_headers": [`+strings.Join(names, ",")+`]}`)
	if v := rules.Evaluate(request); v.Reason != ReasonNoMatch {
		t.Fatalf("the headers alone: %+v", v)
	}
	request.Body = []byte(`"` + strings.Repeat("a", limits.HeaderBytes) + `/../../etc/passwd"`)
	if v := rules.Evaluate(request); v.Target != "body" {
		t.Errorf("got %+v", v)
	}
}
