package engine

import (
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/request-guard/guard/internal/vectors"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// compare compares the verdict with that of a trace, for which every value is evaluated. It reports whether the prefilter passed
// the query or the body.
func compare(t *testing.T, rules *RuleSet, r *Request) bool {
	t.Helper()
	if got, want := rules.Evaluate(r), rules.Trace(r).Verdict; !reflect.DeepEqual(got, want) {
		t.Errorf("%q %q: got %+v, want %+v", r.Target, r.Body, got, want)
	}
	e := newEvaluation(rules, r)
	defer e.release()
	_, query, _ := splitTarget(r.Target)
	return query != "" && e.isQueryClean(query) || len(r.Body) > 0 && e.isBodyClean(r.Body, formatsOf(r.Header["Content-Type"]))
}

func post(contentType, body string) *Request {
	return &Request{Method: "POST", Target: "/", Header: map[string][]string{"Content-Type": {contentType}}, Body: []byte(body)}
}

const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"
)

func TestValuePrefilterDecidesVectorsLikeTheEvaluation(t *testing.T) {
	passing := 0
	for _, group := range vectors.Read[VerdictTest](t, "verdicts", vectors.VerdictFiles...) {
		p, _ := policy.LoadCamelCase(group.Policy)
		rules, err := Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range group.Tests {
			if compare(t, rules, test.Request.Read(t)) {
				passing++
			}
		}
	}
	if passing < 100 {
		t.Errorf("%d requests passed", passing)
	}
}

var formParts = strings.Split(".env etc/passwd %2Fb %2Fc %2Bd file= file FILE file[]= [file]= %66ile= passwd L2V0Yy9wYXNzd2Q & = + % %20 %2e %2F %2B %22 %25 %5c . / ; a b", " ")
var jsonParts = append(strings.Split(`" "," \\ \" \/ \u002e \n { ] : // true ' é`, " "), formParts...)

func joinedParts(r *rand.Rand, pieces []string) string {
	var b strings.Builder
	for n := 1 + r.Intn(6); n > 0; n-- {
		b.WriteString(pieces[r.Intn(len(pieces))])
	}
	return b.String()
}

func TestValuePrefilterDecidesLikeTheEvaluation(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for name, file := range map[string]string{
		"the built-in rules": `"check_query": true`,
		"overflow":           `"check_query": true, "body_overflow": "block"`,
		"escaped patterns":   `"check_query": true, "block_patterns": ["/b$", "%2Fc$", "%2Bd", "(?i)a b"]`,
		"any text matches":   `"check_query": true, "block_patterns": ["[0-9]|b[^/]*a"]`,
		"an allow rule":      `"check_query": true, "allow_patterns": ["a", "^$"]`,
	} {
		rules := compiled(t, `{"methods": ["*"], "check_body": true, `+file+`}`)
		passing := 0
		for range 4000 {
			for _, request := range []*Request{
				get("/?" + joinedParts(random, formParts)),
				post(formType, joinedParts(random, formParts)),
				post(jsonType, `["`+joinedParts(random, jsonParts)+`"]`),
			} {
				if compare(t, rules, request) {
					passing++
				}
			}
		}
		if passing < 100 {
			t.Errorf("%s: %d requests passed", name, passing)
		}
	}
}

func TestValuePrefilterKeepsLimits(t *testing.T) {
	rules := compiled(t, `{"methods": ["*"], "check_query": true, "check_body": true, "body_overflow": "block", "max_body_bytes": 70000}`)
	manyPairs := strings.Repeat("a&", limits.QueryPairs)
	encoded := post(jsonType, `["a"]`)
	encoded.Header["Content-Encoding"] = []string{"gzip"}
	for name, c := range map[string]struct {
		request *Request
		passes  bool
	}{
		"most pairs and one":  {get("/?" + manyPairs), false}, // an empty pair follows
		"a pair less":         {get("/?" + manyPairs[2:]), true},
		"most values":         {post(formType, strings.Repeat("a=b&", limits.BodyValues/2-1)), true},
		"more values":         {post(formType, strings.Repeat("a=b%20&", limits.BodyValues/2)), false},
		"most strings":        {post(jsonType, strings.Repeat(`"!",`, limits.BodyValues)), true},
		"more strings":        {post(jsonType, strings.Repeat(`"!",`, limits.BodyValues+1)), false},
		"the longest body":    {post(jsonType, `"a"`+strings.Repeat("1", cleanBodyBytes-3)), true},
		"a longer body":       {post(jsonType, `"a"`+strings.Repeat("1", cleanBodyBytes-2)), false},
		"beyond the maximum":  {post(jsonType, `"a"`+strings.Repeat("1", 70_001)), false},
		"the longest string":  {post(jsonType, `["`+strings.Repeat("1", cleanBytes)+`"]`), true},
		"a longer string":     {post(jsonType, `["`+strings.Repeat("1", cleanBytes+1)+`"]`), false},
		"the longest value":   {post(formType, "a="+strings.Repeat("a%2C+", cleanBytes/5)+"b"), true},
		"a longer value":      {post(formType, "a="+strings.Repeat("a%2C+", cleanBytes/5+1)+"b"), false},
		"the longest values":  {post(formType, strings.Repeat("a="+strings.Repeat("a%2C+", cleanBytes/5-1)+"b&", 4)), true},
		"broken JSON":         {post(jsonType, `["a", x]`), false},
		"a string to the end": {post(jsonType, `["a`), false},
		"a character set":     {post(jsonType+"; charset=utf-16", `["a"]`), true},
		"encoded":             {encoded, true},
		"two kinds":           {post(jsonType+", "+formType, `["a"]`), false},
	} {
		if got := compare(t, rules, c.request); got != c.passes {
			t.Errorf("%s: passes %v", name, got)
		}
	}
}

// The candidates of a clean query count towards limits.RequestBytes: with and without the prefilter, the same headers are blocked.
func TestValuePrefilterCountsCandidates(t *testing.T) {
	rules := compiled(t, everything)
	for _, query := range []string{"a=b", "a=b+c", "a=%20c", "a=%20+c", ""} {
		e := newEvaluation(rules, get("/"))
		if query != "" && !e.isQueryClean(query) {
			t.Fatalf("%q is not clean", query)
		}
		got := e.buffers.used
		e.release()
		e = newEvaluation(rules, get("/"))
		e.trace = &Trace{}
		e.blocksQuery(query)
		if got != e.buffers.used {
			t.Errorf("%q: got %d bytes, want %d", query, got, e.buffers.used)
		}
		e.release()
	}
}
