package match

import (
	"regexp"
	"regexp/syntax"
	"testing"

	"github.com/request-guard/guard/builtin"
)

func trees(t testing.TB, sources []string) []*syntax.Regexp {
	t.Helper()
	var list []*syntax.Regexp
	for _, source := range sources {
		list = append(list, matcher(t, source).tree)
	}
	return list
}

func builtinSources() []string {
	var sources []string
	for _, rule := range builtin.Rules {
		sources = append(sources, rule.Pattern)
	}
	return sources
}

func TestRequiredLiterals(t *testing.T) {
	for _, source := range builtinSources() {
		t.Log(requiredLiterals(matcher(t, source).tree))
	}
	s := NewScanner(trees(t, builtinSources()))
	t.Log(len(s.next)>>s.shift, s.shift, len(s.marks), s.always)
}

var _ = regexp.MustCompile

func BenchmarkScan(b *testing.B) {
	s := NewScanner(trees(b, builtinSources()))
	text := []byte("/products/shoes/running/air-zoom-pegasus-41.html")
	set := NewSet(len(builtin.Rules))
	for range b.N {
		s.Scan(text, set)
	}
}
func BenchmarkNewScanner(b *testing.B) {
	for range b.N {
		NewScanner(trees(b, builtinSources()))
	}
}
