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
	groups []readingGroup
	seen   map[string]bool // the texts of all readings
	paths  map[string]bool // those of paths whose open ends stay the same
	isOver []bool          // lines for which the last round of decoding is not enough; nil: none
}

// readingGroup is what textReadings.forms makes of one text.
type readingGroup struct {
	round    *readingRound // of which this is the first group
	isCut    bool          // of a text that was cut
	of, from []string      // lines that are equal have no reading of this group; nil: there are none
	readings []lineReading
}

// readingRound is a round of decoding: what textReadings.readings decides the open ends by.
type readingRound struct{ text, cut, foldedCut []string }

// lineReading is one reading of each line, printable. That of a path has another one without its last slash.
type lineReading struct {
	lines  []string
	isPath bool
}

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
	if hasOnly(r, unmarkedBytes) {
		l.forms(r, readingGroup{round: &readingRound{text, text, text}})
		return
	}
	f := foldText(r)
	c, n := cutText(f), textControls.Replace(f)
	folded, cut := splitLines(f), splitLines(c)
	if f == r {
		l.forms(r, readingGroup{round: &readingRound{text, cut, cut}})
	} else {
		l.forms(r, readingGroup{round: &readingRound{text, splitLines(cutText(r)), cut}})
		l.forms(f, readingGroup{})
	}
	if c != f {
		l.forms(c, readingGroup{isCut: true, of: cut, from: folded})
	}
	if n != f {
		l.forms(n, readingGroup{})
	}
}

// forms is textReadings.forms.
func (l *lineReadings) forms(b string, g readingGroup) {
	hasShapes := len(textShapes.Replace(b)) < len(b) || hasEnds(b)
	l.take(&g, b, !hasShapes)
	if hasShapes {
		l.shapes(&g, b)
	}
	l.groups = append(l.groups, g)
}

func (l *lineReadings) shapes(g *readingGroup, b string) {
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
func (l *lineReadings) take(g *readingGroup, text string, isPath bool) {
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
	g.readings = append(g.readings, lineReading{splitLines(textEscapes(text)), isPath})
}
