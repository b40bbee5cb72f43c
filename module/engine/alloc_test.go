//go:build !race

package engine

import (
	"testing"
)

// The race detector makes sync.Pool drop items at random, so allocations are counted without it.

func TestOrdinaryRequestsAllocateNothing(t *testing.T) {
	header := map[string][]string{"User-Agent": {"curl/8"}, "Accept": {"*/*"}, "Accept-Encoding": {"gzip"}}
	for name, test := range map[string]struct {
		file    string
		request *Request
	}{
		"the default policy":      {`{}`, get(targets[0].target)},
		"an encoded path":         {`{}`, get("/caf%C3%A9/men%C3%BC")},
		"everything is inspected": {everything, &Request{Method: "GET", Target: "/list?page=2&sort=name+asc", Header: header}},
		"rules about headers": {
			`{"rules": [{"id": "crawlers", "action": "block", "pattern": "(?i)GPTBot|CCBot", "targets": ["header:user-agent", "header:x-tenant"]}]}`,
			&Request{Method: "GET", Target: "/", Header: header},
		},
		"all rules about exploits": {
			`{"exploits": "all"}`,
			&Request{Method: "GET", Target: "/", Header: map[string][]string{"User-Agent": {"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0"}, "Referer": {"https://example.com/a?b=c"}, "Accept": {"text/html,*/*;q=0.8"}}},
		},
		"JSON and all rules about exploits":   {`{"exploits": "all"}`, post(jsonType, `{"items": ["an honest value", "another one"]}`)},
		"a form and all rules about exploits": {`{"exploits": "all"}`, post(formType, "user=Jane+Doe&city=Berlin&next=%2Faccount")},
		"a query with escapes":                {everything, get("/search?q=hello%20world&next=%2Faccount")},
		"JSON":                                {everything, post(jsonType, `{"items": ["an honest value", "another one"]}`)},
		"a form":                              {everything, post(formType, "name=Jane+Doe&next=%2Faccount")},
		"a kilobyte of JSON":                  {everything, post(jsonType, string(honest["JSON"].Body))},
		"half a kilobyte of a form":           {everything, post(formType, string(honest["form"].Body))},
		"addresses are allowed": {
			`{"allowed_ips": ["192.0.2.0/24"], "trusted_proxies": ["10.0.0.0/8"]}`,
			&Request{Method: "GET", Target: "/", Peer: "203.0.113.9", Header: header},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rules := compiled(t, test.file)
			if v := rules.Evaluate(test.request); v.Blocked {
				t.Fatalf("%+v", v)
			}
			for _, passed := range []*passedTargets{rules.passed, nil} {
				rules.passed = passed
				if n := testing.AllocsPerRun(200, func() { rules.Evaluate(test.request) }); n > 0 {
					t.Errorf("%v allocations, targets are kept: %t", n, passed != nil)
				}
			}
		})
	}
}
