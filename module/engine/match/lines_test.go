package match

import (
	"regexp/syntax"
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

func search(t *testing.T, work int, patterns ...string) *LineSearch {
	t.Helper()
	var matchers []*Matcher
	for _, source := range patterns {
		matchers = append(matchers, expression(t, source))
	}
	return NewLineSearch(NewProsePrefilter(matchers), work)
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
		if got := search(t, 1<<20, patterns...).IsClear(lines); got != want {
			t.Errorf("%q: got %v", lines, got)
		}
	}
}

func TestLineSearchFindsEachExample(t *testing.T) {
	all := examples(t)
	for _, rule := range builtin.Rules {
		m := matcher(t, rule.Pattern)
		patterns := NewProsePrefilter([]*Matcher{expression(t, rule.Pattern)})
		for _, example := range all {
			if m.Match([]byte(example)) && NewLineSearch(patterns, 1<<20).IsClear("a line\n"+example+"\nb") {
				t.Errorf("%s matches %q, which is clear", rule.ID, example)
			}
		}
	}
}

func TestLineSearchEndsWhereItsWorkIsSpent(t *testing.T) {
	s := search(t, 1<<10, "secret", "secret.*key")
	lines := strings.Repeat("secrets\n", 1<<12)
	if s.IsClear(lines) {
		t.Error("lines that were not searched are clear")
	}
	if most := 8 * lineWork * len(lines); -s.work > most {
		t.Errorf("searched %d bytes", -s.work)
	}
	if s.IsClear("a") {
		t.Error("a line is clear after the work was spent")
	}
}
