package match

import (
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/request-guard/guard/builtin"
	"github.com/request-guard/guard/internal/vectors"
)

// contractLiterals returns the literals that contract/regex/literals.ts finds for the built-in rules, by id.
func contractLiterals(t *testing.T) (literals map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "contract", "generated", "literals.json"))
	if err == nil {
		err = json.Unmarshal(text, &literals)
	}
	if err != nil {
		t.Fatal(err)
	}
	return literals
}

// matchingTexts returns random texts, made from parts of the source of a pattern, that the pattern matches.
func matchingTexts(r *rand.Rand, source string) []string {
	expression := regexp.MustCompile(source)
	var texts []string
	for range 60 {
		var b strings.Builder
		for n := r.Intn(8); n > 0; n-- {
			from := r.Intn(len(source) + 1)
			b.WriteString(source[from:min(len(source), from+1+r.Intn(4))])
		}
		if text := b.String(); expression.MatchString(text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// TestEachMatchHoldsTheLiteralsOfBothExtractors checks that each matching text contains a literal of each of three
// lists: the literals of Go for paths, those of Go for prose, and those of contract/regex. The lists differ.
func TestEachMatchHoldsTheLiteralsOfBothExtractors(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	matched := 0
	check := func(source string, texts []string, contract []string) {
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(texts, matchingTexts(r, source)...) {
			marked := TextStart + strings.ToLower(text) + TextEnd
			for _, required := range [][]string{RequiredLiterals(tree), RequiredInProse(tree), contract} {
				if len(required) > 0 && !containsAny(marked, required) {
					t.Errorf("%s matches %q, which holds none of %q", source, text, required)
				}
			}
			matched++
		}
	}
	all, literals := examples(t), contractLiterals(t)
	for _, rule := range builtin.Rules {
		expression := regexp.MustCompile(rule.Pattern)
		var texts []string
		for _, example := range all {
			if expression.MatchString(example) {
				texts = append(texts, example)
			}
		}
		check(rule.Pattern, texts, literals[rule.ID])
	}
	type test struct {
		vectors.Named
		Pattern string `json:"pattern"`
		OK      bool   `json:"ok"`
	}
	for _, group := range vectors.Read[test](t, "regex", "regex-accepted", "regex-refused") {
		for _, test := range group.Tests {
			if test.OK {
				check(test.Pattern, []string{}, []string{})
			}
		}
	}
	if matched < 2000 {
		t.Errorf("only %d texts matched", matched)
	}
}

// TestTheGeneratedLiteralsAreThoseOfTheExtractor fails where `go generate ./builtin` was not run after a change.
func TestTheGeneratedLiteralsAreThoseOfTheExtractor(t *testing.T) {
	for _, rule := range builtin.Rules {
		tree, err := syntax.Parse(rule.Pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		generated := builtin.LiteralsOf(rule.Pattern)
		if !slices.Equal(generated.InPaths, RequiredLiterals(tree)) || !slices.Equal(generated.InProse, RequiredInProse(tree)) {
			t.Errorf("the literals of %s are stale", rule.ID)
		}
	}
}
