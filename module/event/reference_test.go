package event

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

var aReference = regexp.MustCompile("^[" + referenceAlphabet + "]{10}$")

// Two of 10,000 references are equal with a probability of 1 in 20 million.
func TestReferencesAreRandomAndOfTheAlphabet(t *testing.T) {
	seen, characters := map[string]bool{}, map[rune]bool{}
	for range 10_000 {
		reference := newReference()
		if !aReference.MatchString(reference) || seen[reference] {
			t.Fatalf("got %q", reference)
		}
		seen[reference] = true
		for _, c := range reference {
			characters[c] = true
		}
	}
	if len(characters) != len(referenceAlphabet) {
		t.Errorf("%d different characters", len(characters))
	}
}

// A response must not show a reference that is in no event line.
func TestOnlyAnEventWithALineHasAReference(t *testing.T) {
	c := newClocked(&Budget{PerSecond: 1})
	written, suppressed, lost := example(), example(), example()
	for _, e := range []*Event{written, suppressed} {
		if err := c.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(c.out.lines[0], `"reference":"`+written.Reference+`"`) || written.Reference == lost.Reference {
		t.Errorf("got %q in %s", written.Reference, c.out.lines[0])
	}
	c.out.err, c.budget.PerSecond = errors.New("disk full"), 2
	if err := c.Write(lost); err == nil {
		t.Error("no error")
	}
	for name, e := range map[string]*Event{"suppressed": suppressed, "lost": lost} {
		if e.Reference != "" {
			t.Errorf("%s: got %q", name, e.Reference)
		}
	}
}
