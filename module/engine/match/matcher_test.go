package match

import (
	"fmt"
	"math/rand"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/request-guard/guard/builtin"
)

func matcher(t testing.TB, source string) *Matcher {
	t.Helper()
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	return NewMatcher(source, tree, nil)
}

// patterns cover each construct of the grammar, and edge cases of assertions.
var patterns = []string{
	``, `a`, `^`, `$`, `^$`, `$^`, `^a`, `a$`, `^a$`, `\Aa\z`, `(?m)^a$`, `a|b`, `^a|b$`, `^a|^b`, `a$|b$`, `(a|b)*c`,
	`a{2,3}b`, `a{3,}$`, `[^/]{1,3}x$`, `(?i)aB`, `(?i:a)B`, `a.c`, `[a-c]+[^a-c]`, `\bab\b`, `a\Bb`, `(?:^|/)\.a(?:/|$)`,
	`a*?b`, `(?:a|ab)(?:c|bcd)$`, `x*`, `[[:cntrl:]]`, `(?:a$|b)c?`, `(?:^a)+b`, `(^|b)a($|c)`, `a{0,40}b[ab]{0,40}c$`,
	`(?:^|/)[ab]{0,40}c[ab]{0,40}x$`, `(?:[ab]{1,60}a[ab]{1,60}b)$`, `c$|[ab]{1,60}a[ab]{1,60}$|^b`, `^^a`, `a$$`, `^$^`,
	`(?:^|/)^ab`, `(?:^)*ab`, `(?:ab$|b)$`, `$^$`, `(?:^|b)(?:^|a)ab`,
}

// randomPattern is a random pattern of the grammar. Most match something.
func randomPattern(random *rand.Rand, depth int) string {
	atoms := []string{"a", "b", "c", "/", `\.`, ".", "[ab]", "[^/]", "%", "ab", "(?i:Ab)", "^", "$", `\b`, `\w`}
	repeats := []string{"", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"}
	pick := func(list []string) string { return list[random.Intn(len(list))] }
	var pattern strings.Builder
	for range 1 + random.Intn(4) {
		switch random.Intn(6) {
		case 0:
			if depth > 0 {
				fmt.Fprintf(&pattern, "(?:%s|%s)", randomPattern(random, depth-1), randomPattern(random, depth-1))
				pattern.WriteString(pick(repeats))
			}
		case 1:
			fmt.Fprintf(&pattern, "(?:%s)%s", pick(atoms), pick(repeats))
		default:
			pattern.WriteString(pick(atoms))
		}
	}
	return pattern.String()
}

func TestMatchesAreThoseOfRegexp(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	sources := patterns
	for range 1500 {
		sources = append(sources, randomPattern(random, 2))
	}
	for _, source := range sources {
		m, slow := matcher(t, source), regexp.MustCompile(source)
		s, suspects := NewPrefilter([]*Matcher{m}), NewSet(1)
		for range 200 {
			text := randomText(random)
			want := slow.Match(text)
			if got := m.Match(text); got != want {
				t.Fatalf("%s on %q: got %v", source, text, got)
			}
			if !s.Scan(text, suspects) && want {
				t.Fatalf("%s matches %q, which holds none of %q", source, text, m.literals)
			}
		}
	}
}

func randomText(random *rand.Rand) []byte {
	const letters = "aabbcx/.AB%"
	text := make([]byte, random.Intn(14))
	for i := range text {
		text[i] = letters[random.Intn(len(letters))]
	}
	return text
}

// TestTablesOfBuiltInRules checks that tables decide about almost every rule. Only the matches of a pattern with large counts are
// confirmed by a regular expression, and only on the last segment of a path.
func TestTablesOfBuiltInRules(t *testing.T) {
	for _, rule := range builtin.Rules {
		m := matcher(t, rule.Pattern)
		m.Match([]byte("/"))
		if m.tables == nil || !m.exact && !m.isName {
			t.Errorf("%s is matched by a regular expression", rule.ID)
		}
	}
}

func TestLongCountsAreConfirmed(t *testing.T) {
	m := matcher(t, `(?:^|/)[^/]{0,64}(?:ab|ba|bb)[^/]{0,32}\.(?:key|pem)(?:[._~][^/]*)?$`)
	for text, want := range map[string]bool{
		"/" + strings.Repeat("x", 64) + "ab" + strings.Repeat("y", 32) + ".key":    true,
		"/" + strings.Repeat("x", 65) + "ab" + strings.Repeat("y", 32) + ".key":    false,
		"/" + strings.Repeat("x", 64) + "ab" + strings.Repeat("y", 33) + ".key":    false,
		"/ab.key/" + strings.Repeat("x", 64) + "ba.pem~" + strings.Repeat("z", 80): true,
		"/ab.key/x": false,
		"ab.key":    true,
	} {
		if m.Match([]byte(text)) != want {
			t.Errorf("%s: got %v", text, !want)
		}
	}
	if m.exact || !m.isName {
		t.Error("the counts of this pattern no longer need confirmation")
	}
}

func TestPlaceIsInTheMatch(t *testing.T) {
	expression := NewExpression(`(?i)/\.env`, nil)
	for _, test := range []struct {
		m      *Matcher
		needle string
		after  int
	}{
		{matcher(t, `(?i)/\.env`), "/.ENV", 3000},
		{matcher(t, `(?i)\.env$`), ".env", 0},
		{matcher(t, `(?:^|/)[^/]{0,64}(?:ab|ba|bb)[^/]{0,32}\.(?:key|pem)(?:[._~][^/]*)?$`), "/ab.key", 0},
		{expression, "/.env", 3000},
	} {
		text := []byte(strings.Repeat("a/b", 1000) + test.needle + strings.Repeat("c", test.after))
		if !test.m.Match(text) {
			t.Fatalf("%s does not match", test.m.source)
		}
		if place := test.m.Place(text); place < 3000 || place > 3000+len(test.needle) {
			t.Errorf("%s: got %d", test.m.source, place)
		}
	}
}

// Tables of custom patterns are built with their matcher, so that a request cannot cause this work.
func TestTablesAreBuiltWithTheMatcher(t *testing.T) {
	for _, source := range patterns {
		if m := matcher(t, source); m.tables == nil && m.slow == nil {
			t.Errorf("%s has no tables", m.source)
		}
	}
}

// TestTablesOfAPolicyAreBounded compares what patterns match with and without tables.
func TestTablesOfAPolicyAreBounded(t *testing.T) {
	const entries = 5_000
	budget := NewTableBudget(entries, 1<<30)
	random := rand.New(rand.NewSource(1))
	sum, without := 0, 0
	large := []string{`(?:a|b)*a(?:a|b){10}c`, `(?:a|b)*a(?:a|b){10}b`, `(?:[ab]{1,60}a[ab]{1,60}b)$`}
	for _, source := range append(large, patterns...) {
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		m, want := NewMatcher(source, tree, budget), regexp.MustCompile(source)
		for _, table := range m.tables {
			sum += len(table.next)
		}
		if m.tables == nil {
			without++
		}
		for range 200 {
			text := randomText(random)
			if got := m.Match(text); got != want.Match(text) {
				t.Errorf("%s on %q: got %v", source, text, got)
			}
		}
	}
	if sum > 2*entries || without == 0 { // the first two rows of each table do not use the budget
		t.Errorf("%d entries, %d patterns without a table", sum, without)
	}
}

// TestStepsOfTablesAreBounded has a pattern whose table is small and whose sets of states are large.
func TestStepsOfTablesAreBounded(t *testing.T) {
	const source = `^[a-z]{1,1000}-[a-z]{1,1000}$`
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	for steps, exact := range map[int]bool{1 << 20: true, 1 << 10: false} {
		if m := NewMatcher(source, tree, NewTableBudget(maxEntries, steps)); m.exact != exact || !m.Match([]byte("ab-cd")) || m.Match([]byte("ab-")) {
			t.Errorf("%d steps: got exact %v, want %v", steps, m.exact, exact)
		}
	}
}

// BenchmarkBuild builds the tables of all built-in rules, as go generate does.
func BenchmarkBuild(b *testing.B) {
	for range b.N {
		for _, rule := range builtin.Rules {
			matcher(b, rule.Pattern)
		}
	}
}
