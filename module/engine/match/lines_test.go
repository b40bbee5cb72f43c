package match

import (
	"maps"
	"math/rand"
	"regexp/syntax"
	"strconv"
	"strings"
	"testing"

	"github.com/request-guard/guard/builtin"
)

func expression(t *testing.T, source string) *Matcher {
	t.Helper()
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	return NewExpression(source, RequiredLiterals(tree), RequiredInProse(tree))
}

// isClear searches lines for patterns.
func isClear(t *testing.T, lines string, patterns ...string) bool {
	t.Helper()
	var matchers []*Matcher
	for _, source := range patterns {
		matchers = append(matchers, expression(t, source))
	}
	return areClear(NewProsePrefilter(matchers), lines)
}

func areClear(patterns *InterpretedPrefilter, lines string) bool {
	s := NewLineSearch(patterns)
	s.Add(lines)
	found := s.Matched()
	return found != nil && len(found) == 0
}

func TestLineSearchFindsTheLineThatAPatternMatches(t *testing.T) {
	patterns := []string{`(?i)^secret/`, `\.key$`, `a[^/]*z`, `^x$`, `[0-9]{3}`}
	for lines, want := range map[string]bool{
		"":                            true,
		"a\nb":                        true,
		"secret\n/":                   true,
		"b\nSecret/":                  false,
		"b\nsecret/a\nb":              false,
		"the secret/":                 true,
		"a.key\nb":                    false,
		"a.keys\nb":                   true,
		"a\nz":                        true,
		"x":                           false,
		"\n\nx\n":                     false,
		"b\n12\n3":                    true,
		"b\na123z":                    false,
		"b\n1234":                     false,
		"b\n.key":                     false,
		strings.Repeat("az/\n", 9):    false,
		strings.Repeat("a/z\n", 9):    true,
		strings.Repeat(".keys\n", 99): true,
	} {
		if got := isClear(t, lines, patterns...); got != want {
			t.Errorf("%q: got %v", lines, got)
		}
	}
}

func TestLineSearchFindsALineOfALongText(t *testing.T) {
	long := strings.Repeat(".key ", longText)
	for lines, want := range map[string]bool{long: true, long + "\nsecret/": false, long + "\na.key1": false, long + "\nSECRET": true} {
		if got := isClear(t, lines, `\.key[0-9]`, `(?i)^secret/`); got != want {
			t.Errorf("%.20q: got %v", lines[len(long):], got)
		}
	}
}

func TestLineSearchFindsEachExample(t *testing.T) {
	all := examples(t)
	for _, rule := range builtin.Rules {
		m := matcher(t, rule.Pattern)
		patterns := NewProsePrefilter([]*Matcher{expression(t, rule.Pattern)})
		for _, example := range all {
			if m.Match([]byte(example)) && areClear(patterns, "a line\n"+example+"\nb") {
				t.Errorf("%s matches %q, which is clear", rule.ID, example)
			}
		}
	}
}

// constructs are parts of patterns that the built-in rules do not have, or not in all places.
var constructs = []string{
	`x`, ``, `^$`, `a*`, `^a*$`, `(?:ab)*c$`, `(?:a|bb)+c`, `^(?:a?b?)*$`, `\bab\b`, `\Bb\B`, `(?i)AbC`, `[^a]$`, `.{3}c`, `a{2,5}b{0,3}c`,
	`(?s).c`, `(?m)^ab?$`, `\Aa.*\z`, `(a(b(c)))`, `^(?:/[a-c]+)*/?$`, `(?:b+a*)+cc`, `[[:digit:]]\w\W`, `(?:)|z`, `c|^b|a$`,
	`a[^c]b`, `(?:c|1b?_)!`, `^\B`,
}

// TestALongTextHasTheFirstLineThatAPatternMatches compares the steps, which take all lines at once, with the expression.
func TestALongTextHasTheFirstLineThatAPatternMatches(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	parts := []string{"a", "b", "c", "ab", "/", "A", "1_!", "z "}
	for range 40 {
		compareFirst(t, r, constructs, parts)
	}
	var rules []string
	for _, rule := range builtin.Rules {
		rules = append(rules, rule.Pattern)
	}
	compareFirst(t, r, rules, examples(t))
}

func TestALineBehindThousandsIsFound(t *testing.T) {
	const count = 30_000
	if got := NewLines(strings.Repeat("a\n", count) + "ab").First(expression(t, "b$")); got != count {
		t.Errorf("got %d", got)
	}
}

// TestAllLinesThatAPatternMatchesAreFound compares a search of short and of long texts with the expressions.
func TestAllLinesThatAPatternMatchesAreFound(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	parts := []string{"a", "b", "c", "ab", "/", "A", "1_!", "z "}
	for n := range 300 {
		var matchers []*Matcher
		for range 1 + r.Intn(12) {
			matchers = append(matchers, expression(t, constructs[r.Intn(len(constructs))]))
		}
		s, want := NewLineSearch(NewProsePrefilter(matchers)), map[string]bool{}
		for range 1 + n%2*400 {
			line := ""
			for range r.Intn(6) {
				line += strings.Repeat(parts[r.Intn(len(parts))], 1+r.Intn(2)*r.Intn(12))
			}
			s.Add(line)
			for _, m := range matchers {
				if m.Match([]byte(line)) {
					want[line] = true
				}
			}
		}
		if got := s.Matched(); !maps.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestTooManyLinesThatMatchAreNotListed(t *testing.T) {
	s := NewLineSearch(NewProsePrefilter([]*Matcher{expression(t, "^x")}))
	for i := range mostMatched {
		s.Add("x" + strconv.Itoa(i))
	}
	if got := s.Matched(); len(got) != mostMatched {
		t.Errorf("got %d", len(got))
	}
	s.Add("xy")
	if got := s.Matched(); got != nil {
		t.Errorf("got %d", len(got))
	}
}

// compareFirst adds few of the lines that match, so that some texts have none or a late one.
func compareFirst(t *testing.T, r *rand.Rand, patterns, parts []string) {
	t.Helper()
	for _, source := range patterns {
		m := expression(t, source)
		want, rarity := -1, 1+r.Intn(1+r.Intn(100))
		var lines []string
		for size, tries := 0, 0; size < longText && tries < 400; tries++ {
			line := ""
			for range r.Intn(6) {
				line += strings.Repeat(parts[r.Intn(len(parts))], 1+r.Intn(2)*r.Intn(12))
			}
			if isMatch := m.Match([]byte(line)); isMatch && r.Intn(rarity) > 0 {
				continue
			} else if isMatch && want < 0 {
				want = len(lines)
			}
			lines = append(lines, line)
			size += len(line) + 1
		}
		text := strings.Join(lines, LineEnd)
		if got := NewLines(text).First(m); len(text) >= longText && got != want {
			t.Fatalf("%s: got line %d, want %d of %q", source, got, want, lines)
		}
	}
}
