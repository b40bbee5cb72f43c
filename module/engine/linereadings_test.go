package engine

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// checkLines compares the readings of several texts that are made at once with those of each.
func checkLines(t *testing.T, texts []string) {
	t.Helper()
	lines := make([]string, len(texts))
	for i, text := range texts {
		lines[i] = asLine.Replace(text)
	}
	all := newLineReadings(strings.Join(lines, match.LineEnd))
	for i, text := range texts {
		var want, got view
		want.readText(&workspace{}, text, limits.PathBytes)
		e := &evaluation{readings: all, lineOf: map[string]int{text: i}}
		lines, isRead := linesOfRead(e, text)
		got = view{lines: lines, size: e.words.used}
		if !isRead {
			got.readLine(&workspace{}, all, i)
		}
		if got.lines != want.lines || got.limit != want.limit || got.size != want.size {
			t.Fatalf("%q of %q: got %q %s, want %q %s", text, texts, got.lines, got.limit, want.lines, want.limit)
		}
	}
}

func TestSeveralLinesAreReadAsEachOfThem(t *testing.T) {
	// The second has a cut only before its escape is decoded; the third needs more rounds of decoding than there are.
	checkLines(t, []string{"/x/", "/a\uff1fb%ff/", "%2525252525252541", "a?b"})
	random := rand.New(rand.NewSource(5))
	for range 40_000 {
		texts := make([]string, 1+random.Intn(5))
		for i := range texts {
			for texts[i] == "" {
				texts[i] = randomText(random)
			}
		}
		checkLines(t, texts)
	}
}
