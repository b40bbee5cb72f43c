package match

import (
	"fmt"
	"math/rand"
	"regexp"
	"regexp/syntax"
	"testing"

	"github.com/request-guard/guard/builtin"
)

func matcher(t testing.TB, source string) *Matcher {
	t.Helper()
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	return NewMatcher(source, tree)
}

// patterns have each construct of the grammar.
var patterns = []string{
	``, `a`, `^`, `$`, `^$`, `$^`, `^a`, `a$`, `^a$`, `\Aa\z`, `(?m)^a$`, `a|b`, `^a|b$`, `^a|^b`, `a$|b$`, `(a|b)*c`,
	`a{2,3}b`, `a{3,}$`, `[^/]{1,3}x$`, `(?i)aB`, `(?i:a)B`, `a.c`, `[a-c]+[^a-c]`, `\bab\b`, `a\Bb`, `(?:^|/)\.a(?:/|$)`,
	`a*?b`, `(?:a|ab)(?:c|bcd)$`, `x*`, `[[:cntrl:]]`, `(?:a$|b)c?`, `(?:^a)+b`, `(^|b)a($|c)`, `a{0,40}b[ab]{0,40}c$`,
	`(?:[ab]{1,60}a[ab]{1,60}b)$`, `c$|[ab]{1,60}a[ab]{1,60}$|^b`,
}

func TestMatcherAgreesWithRegexp(t *testing.T) {
	const letters = "aabbcx/.AB%"
	random := rand.New(rand.NewSource(1))
	for _, source := range patterns {
		m, slow := matcher(t, source), regexp.MustCompile(source)
		for range 3000 {
			text := make([]byte, random.Intn(14))
			for i := range text {
				text[i] = letters[random.Intn(len(letters))]
			}
			if got, want := m.Match(text), slow.Match(text); got != want {
				t.Fatalf("%s on %q: got %v", source, text, got)
			}
		}
	}
}

func TestTablesOfBuiltInRules(t *testing.T) {
	for _, rule := range builtin.Rules {
		m := matcher(t, rule.Pattern)
		m.Match(nil)
		size := 0
		for _, table := range m.tables {
			size += len(table.ends)
		}
		t.Log(rule.ID, len(m.tables), size, m.exact, fmt.Sprint(func() (d []bool) {
			for _, x := range m.tables {
				d = append(d, x.backward)
			}
			return
		}()))
	}
}

func BenchmarkBuild(b *testing.B) {
	for range b.N {
		for _, rule := range builtin.Rules {
			matcher(b, rule.Pattern).Match(nil)
		}
	}
}
