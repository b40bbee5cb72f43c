package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/request-guard/guard/limits"
)

// browserHeader has the headers of a browser about which rules are.
var browserHeader = map[string][]string{
	"User-Agent":      {"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"},
	"Accept":          {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
	"Accept-Language": {"en-US,en;q=0.5"},
	"Referer":         {"https://shop.example/products/shoes?sort=price"},
	"Cookie":          {"session=5f2c1d3e9a; theme=dark"},
	"Connection":      {"keep-alive"},
}

// withHeader returns browserHeader with the lines of one header.
func withHeader(key string, lines ...string) map[string][]string {
	header := maps.Clone(browserHeader)
	header[key] = lines
	return header
}

// TestLinesOfBrowsersNeedNoScanOfAllRules guards the cost of exploits: all: the scan of one line takes as long as that of a path.
func TestLinesOfBrowsersNeedNoScanOfAllRules(t *testing.T) {
	e := newEvaluation(compiled(t, `{"exploits": "all"}`), &Request{Header: browserHeader})
	defer e.release()
	if e.findSuspectLines(); e.lineSuspects.Next(0) >= 0 {
		t.Errorf("%s is suspected", e.rules.lines[e.lineSuspects.Next(0)].name)
	}
	for key := range browserHeader {
		isListed := slices.ContainsFunc(e.rules.lineIndex[bucketOf(key)], func(l indexedLines) bool { return l.key == key && l.filter != nil })
		if isListed != (key != "Accept-Language") {
			t.Errorf("%s: is listed: %v", key, isListed)
		}
	}
}

// lookups are headers that one pass does not decide, or only with a look at each of their lines.
func lookups() map[string]map[string][]string {
	crowd, lines := maps.Clone(browserHeader), make([]string, limits.QueryPairs+1)
	for i := range searchedHeaders {
		crowd[fmt.Sprint("X-", i)] = []string{"1"}
	}
	crowd["User-Agent"] = []string{"() { :;}; x"}
	for i := range lines {
		lines[i] = "a"
	}
	return map[string]map[string][]string{
		"an attack":                 withHeader("User-Agent", "a", "${jndi:ldap://x/a}"),
		"an attack at the start":    withHeader("Referer", "() { :;}; x"),
		"with an underscore":        withHeader("User_agent", "${jndi:ldap://x/a}"),
		"blanks before an attack":   withHeader("User-Agent", "  () { :;}; x"),
		"a tab before an attack":    withHeader("User-Agent", "\t() { :;}; x"),
		"blanks behind a line":      withHeader("Range", "bytes=0-18446744073709551615 "),
		"behind an unprintable":     withHeader("User-Agent", "\x00${jndi:ldap://x/a}"),
		"only an unprintable":       withHeader("User-Agent", "caf\xc3\xa9"),
		"behind the inspected part": withHeader("User-Agent", strings.Repeat("a", limits.HeaderBytes)+"${jndi:ldap://x/a}"),
		"a crowd of headers":        crowd,
		"a crowd of lines":          withHeader("User-Agent", lines...),
	}
}

func TestOnePassOverHeadersMissesNothing(t *testing.T) {
	rules := compiled(t, `{"exploits": "all"}`)
	withoutIndex := *rules
	withoutIndex.lineIndex = nil
	for i := range withoutIndex.lines {
		withoutIndex.lines[i].filter = nil
	}
	for name, header := range lookups() {
		request := &Request{Method: "GET", Target: "/", Header: header}
		if got, want := rules.Evaluate(request), withoutIndex.Evaluate(request); got != want {
			t.Errorf("%s: got %+v instead of %+v", name, got, want)
		}
		e := newEvaluation(rules, request)
		if e.findSuspectLines(); e.lineSuspects.Next(0) < 0 {
			t.Errorf("%s: no header is suspected", name)
		}
		e.release()
	}
}

func TestBlanksAroundAnAnchoredLine(t *testing.T) {
	rules := compiled(t, `{"rules": [{"id": "evil", "action": "block", "pattern": "evil$", "targets": ["header:x-tenant"]}]}`)
	for line, isBlocked := range map[string]bool{"an evil": true, "an evil  ": true, "evil one": false} {
		if v := rules.Evaluate(&Request{Method: "GET", Target: "/", Header: withHeader("X-Tenant", line)}); v.Blocked != isBlocked {
			t.Errorf("%s: %+v", line, v)
		}
	}
}

// TestAHeaderWithoutFilter has a rule that requires no literal, so that each line may match.
func TestAHeaderWithoutFilter(t *testing.T) {
	rules := compiled(t, `{"rules": [{"id": "digits", "action": "block", "pattern": "^[0-9]+$", "targets": ["header:x-tenant"]}]}`)
	for line, isBlocked := range map[string]bool{"42": true, "a": false} {
		if v := rules.Evaluate(&Request{Method: "GET", Target: "/", Header: withHeader("X-Tenant", line)}); v.Blocked != isBlocked {
			t.Errorf("%s: %+v", line, v)
		}
	}
}
