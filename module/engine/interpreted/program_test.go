package interpreted

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/request-guard/guard/builtin"
	"github.com/request-guard/guard/engine/match"
)

// constructed are patterns with constructs that are rare in built-in rules.
var constructed = []string{
	`a(?:bc|d)+e`, `a(?:bc)*e`, `(?i)x?Y+z$`, `^(?:ab?)+$`, `\bab\b`, `a\Bb`, `[^b]c`, `^$`, `e(?:ab?c|d(?:e|f)*)?a`, `^a|b{2,3}c$`, `(?:a|ab)(?:c|bcd)e?$`,
}

// TestProgramsFindWhatExpressionsFind compares all patterns on lines of attacks, and of letters that make partial matches.
func TestProgramsFindWhatExpressionsFind(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	var lines []string
	for range 500 {
		lines = append(lines, escaped(lineEndEscaper.Replace(disguised(r))), letters(r, 12), strings.Repeat("a"+letters(r, 3), r.Intn(12)))
	}
	sources := constructed
	for i := range builtin.Rules {
		sources = append(sources, builtin.Rules[i].Pattern)
	}
	whole := match.LineEnd + strings.Join(lines, match.LineEnd) + match.LineEnd
	p := newPlacesOf(whole)
	matches := 0
	for _, source := range sources {
		s := &lineMatches{found: map[string]bool{}, count: -len(lines)}
		m := &member{matcher: match.NewExpression(source, nil)}
		s.matchPattern(p, m, whole)
		for _, line := range lines {
			want := m.matcher.Match([]byte(line))
			if s.found[line] != want {
				t.Errorf("%s: %q: got %v", source, line, s.found[line])
			}
			if want {
				matches++
			}
		}
	}
	if matches < 1000 {
		t.Errorf("only %d matches", matches)
	}
}

func letters(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.Intn(most) {
		b.WriteByte("aabbccdefxyYzZ /"[r.Intn(16)])
	}
	return b.String()
}

// The line end at the end of a text does not begin another line, even for an expression that matches each line.
func TestProgramsFindNoLineBehindTheLast(t *testing.T) {
	whole := match.LineEnd + "a" + match.LineEnd
	s := &lineMatches{found: map[string]bool{}, count: -2}
	s.matchPattern(newPlacesOf(whole), &member{matcher: match.NewExpression("^", nil)}, whole)
	if len(s.found) != 1 || !s.found["a"] {
		t.Errorf("got %v", s.found)
	}
}
