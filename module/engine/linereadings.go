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
	seen     map[string]bool // the texts of all readings
	paths    map[string]bool // those of paths whose open ends stay the same
	isOver   []bool          // lines for which the last round of decoding is not enough; nil: none
	open     []bool          // lines for which textReadings.isOpen is true; nil: all
	cutOpen  []bool          // those for which isCutOpen is
}

// lineReading is one reading of each line, printable.
type lineReading struct {
	lines []string
	readingGroup
	hasSlashes bool // some line is a path that ends in a slash; a line may have another reading without it
}

// readingGroup is what the readings of textReadings.forms have in common.
type readingGroup struct {
	open     []bool   // lines that may lose a final slash; nil: all
	isCut    bool     // of a text that was cut
	of, from []string // lines that are equal have no such reading; nil: there are none
}

func splitLines(text string) []string { return strings.Split(text, match.LineEnd) }

// newLineReadings makes the readings of lines that asLine has made.
func newLineReadings(text string) *lineReadings {
	count := strings.Count(text, match.LineEnd) + 1
	l := &lineReadings{seen: map[string]bool{}, paths: map[string]bool{}, open: make([]bool, count), cutOpen: make([]bool, count)}
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
	l.open = opened(l.open, r)
	if hasOnly(r, unmarkedBytes) {
		l.cutOpen = opened(l.cutOpen, r)
		l.forms(r, readingGroup{open: l.open})
		return
	}
	f := foldText(r)
	c, n := cutText(f), textControls.Replace(f)
	l.cutOpen = opened(l.cutOpen, c)
	if f != r {
		l.cutOpen = opened(l.cutOpen, cutText(r))
	}
	g := readingGroup{open: l.open}
	l.forms(r, g)
	if f != r {
		l.forms(f, g)
	}
	if c != f {
		l.forms(c, readingGroup{l.cutOpen, true, splitLines(c), splitLines(f)})
	}
	if n != f {
		l.forms(n, g)
	}
}

// opened returns the lines that were open, or do not end in a slash in a text. nil: all.
func opened(open []bool, text string) []bool {
	if open == nil || !strings.Contains(text+match.LineEnd, "/\n") {
		return nil
	}
	next := make([]bool, len(open)) // readings refer to the one before
	for i, line := range splitLines(text) {
		next[i] = open[i] || !strings.HasSuffix(line, "/")
	}
	return next
}

// forms is textReadings.forms.
func (l *lineReadings) forms(b string, g readingGroup) {
	isShaped := hasShapes(b)
	l.take(g, b, !isShaped)
	if isShaped {
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
