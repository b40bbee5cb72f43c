package match

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/request-guard/guard/builtin"
)

// builtInMatchers returns new matchers of the built-in rules, with generated tables.
func builtInMatchers(t testing.TB) []*Matcher {
	t.Helper()
	var matchers []*Matcher
	for _, rule := range builtin.Rules {
		encoded := builtin.TablesOf(rule.Pattern)
		if encoded == "" {
			t.Fatalf("rule %s has no tables or has changed: run go generate ./builtin", rule.ID)
		}
		matchers = append(matchers, NewEncoded(rule.Pattern, builtin.LiteralsOf(rule.Pattern).InPaths, encoded))
	}
	return matchers
}

func TestPlainPathsAreNotSuspected(t *testing.T) {
	var list []*Matcher
	var ids []string
	for _, rule := range builtin.Rules {
		if !rule.Extended {
			list, ids = append(list, matcher(t, rule.Pattern)), append(ids, rule.ID)
		}
	}
	s := NewPrefilter(list)
	for _, path := range []string{"/", "/index.html", "/assets/main-3f2a.js", "/products/42/reviews", "/img/logo@2x.png", "/style.css", "/static/js/main.js", "/en/about", "/docs/start"} {
		suspects := NewSet(len(list))
		if s.Scan([]byte(path), suspects) {
			t.Errorf("%s: %s", path, ids[suspects.Next(0)])
		}
	}
}

// examples returns the examples of the built-in rules in contract/policy, as written, in upper case and in lower case.
func examples(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("../../../contract/policy/patterns.json")
	if err != nil {
		t.Fatal(err)
	}
	var rules []struct{ Matches, NearMisses []string }
	if err := json.Unmarshal(text, &rules); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, rule := range rules {
		for _, example := range append(rule.Matches, rule.NearMisses...) {
			list = append(list, example, strings.ToUpper(example), strings.ToLower(example))
		}
	}
	return list
}

// TestExamples compares the matcher of each built-in rule with a regular expression, on all examples.
func TestExamples(t *testing.T) {
	matchers := builtInMatchers(t)
	s := NewPrefilter(matchers)
	suspects := NewSet(len(builtin.Rules))
	var slow []*regexp.Regexp
	for _, rule := range builtin.Rules {
		slow = append(slow, regexp.MustCompile(rule.Pattern))
	}
	matches := 0
	for _, example := range examples(t) {
		s.Scan([]byte(example), suspects)
		for i, rule := range builtin.Rules {
			want := slow[i].MatchString(example)
			if got := matchers[i].Match([]byte(example)); got != want {
				t.Errorf("%s on %q: got %v", rule.ID, example, got)
			}
			if want && !suspects.Has(i) {
				t.Errorf("%s matches %q and is not suspected", rule.ID, example)
			}
			if want {
				matches++
			}
		}
	}
	if matches < len(builtin.Rules) {
		t.Errorf("only %d matches", matches)
	}
}

func TestPatternWithoutLiteralsIsAlwaysSuspected(t *testing.T) {
	s := NewPrefilter([]*Matcher{matcher(t, "needle"), matcher(t, "[0-9]+")})
	suspects := NewSet(2)
	if !s.Scan([]byte("hay"), suspects) || suspects.Has(0) || !suspects.Has(1) {
		t.Errorf("got %v", suspects)
	}
	if s.Scan([]byte("a NEEdle"), suspects); !suspects.Has(0) {
		t.Error("literals are found in any case")
	}
}

// TestCleanTextsAreNotSuspected compares IsClean with Scan, on the examples and on parts of literals.
func TestCleanTextsAreNotSuspected(t *testing.T) {
	list := []*Matcher{matcher(t, "(?i)jdata"), matcher(t, "\\$\\{"), matcher(t, "^\\(\\)"), matcher(t, "datab$"), matcher(t, "end -x")}
	s := NewPrefilter(list)
	suspects := NewSet(len(list))
	texts := append(examples(t), "", "jdata", "JDATA", "jdat", "ajjdata", "jdatjdata", "$", "${", "$${", "$a{", "()", "a()", "(", "datab", "datab ", "adatab", "end+-x", "end -x", "~", " ")
	for _, text := range texts {
		if got, want := s.IsClean([]byte(text)), !s.Scan([]byte(text), suspects); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	for _, text := range []string{"\x00", "a\x1f", "\x7f", "\xe9a", "j\x01", "a\x02"} {
		if s.IsClean([]byte(text)) {
			t.Errorf("%q is clean", text)
		}
	}
}

func BenchmarkNewPrefilter(b *testing.B) {
	matchers := builtInMatchers(b)
	for range b.N {
		NewPrefilter(matchers)
	}
}
