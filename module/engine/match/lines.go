package match

import (
	"math/big"
	"strings"
)

// Lines are texts with LineEnd between them, for interpreted programs.
type Lines struct {
	text   string
	whole  string    // with both ends of each line; only of long texts
	places *placesOf // of whole
}

// NewLines keeps the text, which has at least one line.
func NewLines(text string) *Lines { return &Lines{text: text} }

// longText is the length from which the steps of an expression cost less than a search for it.
const longText = 4096

// First returns the index of the first line that a pattern matches. Where that is not the first one of a short text, it may be
// a later one or none. -1: the pattern matches none.
func (l *Lines) First(m *Matcher) int {
	if len(l.text) >= longText {
		return l.firstPlace(m)
	}
	first, _, isSeveral := strings.Cut(l.text, LineEnd)
	switch {
	case m.Match([]byte(first)):
		return 0
	case isSeveral && m.mayMatchLine(l.text):
		return 1
	}
	return -1
}

// firstPlace is First for a long text.
func (l *Lines) firstPlace(m *Matcher) int {
	at := -1
	l.each(m, func(start int, _ string) bool {
		at = strings.Count(l.whole[:start], LineEnd) - 1
		return false
	})
	return at
}

// each yields the lines of a long text that a pattern matches, and their offsets in whole. take returns whether it needs more.
func (l *Lines) each(m *Matcher, take func(start int, line string) bool) {
	if l.places == nil {
		l.whole = LineEnd + l.text + LineEnd
		l.places = newPlacesOf(l.whole)
	}
	m.onceProgram.Do(m.buildProgram)
	p := l.places
	p.isMore = false
	found := before(p, m.program)
	for found.Sign() != 0 {
		start := len(l.whole) - found.BitLen()
		start = strings.LastIndex(l.whole[:start+1], LineEnd) + 1
		first, rest, _ := strings.Cut(l.whole[start:], LineEnd)
		if (!p.isMore || m.Match([]byte(first))) && !take(start, first) {
			break
		}
		next := new(big.Int).Lsh(one, uint(len(rest)+1)) // the line end is the place before the next line
		found = next.And(next.Sub(next, one), found)
	}
}
