package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// TestBodyHasASeparateBudget first fills the budget of the request with headers.
func TestBodyHasASeparateBudget(t *testing.T) {
	yes := true
	file := &policy.File{CheckBody: &yes}
	request := &Request{Method: "GET", Target: "/", Header: map[string][]string{"Content-Type": {"application/json"}}}
	for i := range limits.RequestBytes/limits.HeaderBytes - 1 {
		name := fmt.Sprintf("X-Original-Url-%d", i)
		file.CheckHeaders = append(file.CheckHeaders, name)
		request.Header[name] = []string{"/" + strings.Repeat("a", limits.HeaderBytes-1)}
	}
	rules := compiled(t, file)
	if v := rules.Evaluate(request); v.Reason != ReasonNoMatch {
		t.Fatalf("the headers alone: %+v", v)
	}
	request.Body = []byte(`"` + strings.Repeat("a", limits.HeaderBytes) + `/../../etc/passwd"`)
	if v := rules.Evaluate(request); v.Target != "body" {
		t.Errorf("got %+v", v)
	}
}
