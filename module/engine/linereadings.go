package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// lineReadings are the readings of several values, each of which is a line. An interpreter makes a step on all lines at once: on
// each alone, a few hundred values that have several readings take it a second. A step that does not change a line makes a reading
// that the line has already, so that the lines need not take the same steps.
type lineReadings struct {
	readings []*lineReading
	rounds   []*readingRound
	seen     map[string]bool // the texts of all readings
	paths    map[string]bool // those of paths whose open ends stay the same
	isOver   []bool          // lines for which the last round of decoding is not enough; nil: none
}

// lineReading is one reading of each line, printable.
type lineReading struct {
	lines []string
	readingGroup
	hasSlashes bool // some line is a path that ends in a slash; a line may have another reading without it
}

// readingGroup is what the readings of textReadings.forms have in common.
type readingGroup struct {
	round    int
	isCut    bool     // of a text that was cut
	of, from []string // lines that are equal have no such reading; nil: there are none
}

// readingRound is a round of decoding: what textReadings.readings decides the open ends by.
type readingRound struct{ text, cut, foldedCut []string }

func splitLines(text string) []string { return strings.Split(text, match.LineEnd) }

// newLineReadings makes the readings of lines that asLine has made.
func newLineReadings(text string) *lineReadings {
	l := &lineReadings{seen: map[string]bool{}, paths: map[string]bool{}}
	for round := 0; ; round++ {
		l.round(text)
		decoded := decodeText(text)
		if len(decoded) == len(text) {
			return l
		}
		if round == limits.DecodeRounds {
			l.isOver = differing(splitLines(text), splitLines(decoded))
			return l
		}
		text = decoded
	}
}

func differing(before, after []string) []bool {
	differ := make([]bool, len(before))
	for i, line := range before {
		differ[i] = after[i] != line
	}
	return differ
}

// round is textReadings.readings.
func (l *lineReadings) round(r string) {
	text := splitLines(r)
	g := readingGroup{round: len(l.rounds)}
	if hasOnly(r, unmarkedBytes) {
		l.rounds = append(l.rounds, &readingRound{text, text, text})
		l.forms(r, g)
		return
	}
	f := foldText(r)
	c, n := cutText(f), textControls.Replace(f)
	folded, cut := splitLines(f), splitLines(c)
	rawCut := cut
	if f != r {
		rawCut = splitLines(cutText(r))
	}
	l.rounds = append(l.rounds, &readingRound{text, rawCut, cut})
	l.forms(r, g)
	if f != r {
		l.forms(f, g)
	}
	if c != f {
		l.forms(c, readingGroup{g.round, true, cut, folded})
	}
	if n != f {
		l.forms(n, g)
	}
}

// forms is textReadings.forms.
func (l *lineReadings) forms(b string, g readingGroup) {
	hasShapes := len(textShapes.Replace(b)) < len(b) || hasEnds(b)
	l.take(g, b, !hasShapes)
	if hasShapes {
		l.shapes(g, b)
	}
}

func (l *lineReadings) shapes(g readingGroup, b string) {
	s := strings.ReplaceAll(b, `\`, "/")
	if s != b {
		l.take(g, strings.ReplaceAll(b, `\`, ""), false)
		l.take(g, s, false)
	}
	collapsed := collapseText(s)
	l.take(g, dotsText(collapsed), true)
	if collapsed != s {
		l.take(g, collapseText(dotsText(s)), true)
	}
	p := withoutParametersText(s)
	if p != s {
		l.take(g, dotsText(collapseText(p)), true)
	}
	if n := windowsText(p); n != p {
		l.take(g, dotsText(collapseText(n)), true)
	}
}

// take adds a reading of all lines, unless each line has it. The open ends of texts that were cut change from round to round.
func (l *lineReadings) take(g readingGroup, text string, isPath bool) {
	known := l.seen
	if isPath {
		known = l.paths
	}
	if known[text] && !(isPath && g.isCut) {
		return
	}
	l.seen[text] = true
	if isPath && !g.isCut {
		l.paths[text] = true
	}
	hasSlashes := isPath && strings.Contains(text+match.LineEnd, "/\n")
	l.readings = append(l.readings, &lineReading{splitLines(textEscapes(text)), g, hasSlashes})
}
