package engine

import (
	"strings"
	"testing"

	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

func compiled(t testing.TB, file string) *RuleSet {
	t.Helper()
	rules, err := Compile(loaded(t, file))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func loaded(t testing.TB, file string) *policy.Policy {
	t.Helper()
	p, problems := policy.Load([]byte(file))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return p
}

func get(target string) *Request { return &Request{Method: "GET", Target: target} }

// filled returns a path of at most limits.PathBytes bytes: start, then text as often as it fits, then end.
func filled(start, text, end string) string {
	room := limits.PathBytes - len(start) - len(end)
	return start + strings.Repeat(text, room/len(text)) + end
}

const nested = "/%252525252e" // needs the maximum number of decoding rounds

// targets range from ordinary ones to ones that are built to be expensive.
var targets = []struct{ name, target string }{
	{"clean", "/products/shoes/running/air-zoom-pegasus-41.html"},
	{"long", "/assets/static/media/2026/11/" + strings.Repeat("some-longer-name/", 12) + "picture-1920x1080.webp"},
	{"encoded", "/caf%C3%A9/men%C3%BC%20del%20d%C3%ADa.html"},
	{"attack", "/static/..%252f..%252f.env"},
	{"hostile traversal", filled("/", "..%252f", "x")},
	{"hostile nested", filled("/", "%25252525252e", "x")},
	{"hostile separators", filled(nested, `/.\;a`, "x")},
	{"hostile segments", filled(nested, `/a.zip;b`, "/x")},
	{"hostile controls", filled(nested, "a%01b%00/", "x")},
	{"hostile folds", filled(nested, "\xc0\xae/\xef\xbc\x8f", "x")},
	{"hostile extensions", filled(nested, ".zip.bak.log.sql.db.old", ".x")},
	{"hostile words", filled(nested, "/backup/db.key/id_rsa/passwd.log.sql.env.bak.p12", "/x")},
	{"hostile tail", filled(nested, "wp-config.key.pem.p12.htaccess.id_rsa_aws.json", "!")},
}

// honest has requests that browsers send.
var honest = map[string]*Request{
	"path":  {Method: "GET", Target: "/products/42", Header: browserHeader},
	"query": {Method: "GET", Target: "/search?q=hello%20world&next=%2Faccount", Header: browserHeader},
	"JSON": {
		Method: "POST", Target: "/api/items", Header: withHeader("Content-Type", jsonType),
		Body: []byte(`{"items":[` + strings.Repeat(`{"name":"an honest value","count":12},`, 26) + `{}]}`),
	},
	"form": {
		Method: "POST", Target: "/account", Header: withHeader("Content-Type", formType),
		Body: []byte(strings.Repeat("name=Jane+Doe&next=%2Faccount&city=Berlin&", 14)),
	},
}

// BenchmarkExploits compares the values of the key exploits, on targets that come for the first time.
func BenchmarkExploits(b *testing.B) {
	for name, request := range honest {
		for _, exploits := range []string{"off", "paths", "all"} {
			rules := compiled(b, `{"check_query": true, "exploits": "`+exploits+`"}`)
			rules.passed = nil
			b.Run(name+"/"+exploits, func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					rules.Evaluate(request)
				}
			})
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	kept, request := compiled(b, `{}`), get(targets[0].target)
	b.Run("clean, again", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			kept.Evaluate(request)
		}
	})
	rules := compiled(b, `{}`)
	rules.passed = nil
	for _, t := range targets {
		b.Run(t.name, func(b *testing.B) {
			request := get(t.target)
			rules.Evaluate(request) // makes the tables of the rules that this target needs
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				rules.Evaluate(request)
			}
		})
	}
}
