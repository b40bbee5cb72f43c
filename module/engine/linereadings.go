package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// lineReadings are the readings of several values, each of which is a line. An interpreter makes a step on all lines at once: on
// each alone, a few hundred values that have several readings take it a second. A step that does not change a line makes a reading
// that the line has already, so that the lines need not take the same steps. Later steps take only the lines that changed.
type lineReadings struct {
	rounds []*lineRound
	// Of the lines of the last round:
	over    []int  // at least zero: it is not enough; nil: it is for all
	open    []bool // those for which textReadings.isOpen is true; nil: all
	cutOpen []bool // those for which isCutOpen is
}

// lineRound has the readings of one round of decoding.
type lineRound struct {
	at     []int // where the lines of the round before are in this one; below zero: they are not; nil: in the same place
	groups []*readingGroup
}

// readingGroup has the readings of one call of textReadings.forms.
type readingGroup struct {
	at       []int  // where the lines of the round are in the group, as in lineRound
	open     []bool // lines that may lose a final slash; nil: all
	readings []*lineReading
	seen     map[string]bool // the texts of the readings, and whether they were read as paths
}

// lineReading is one reading of each line, printable.
type lineReading struct {
	lines      []string
	hasSlashes bool // some line is a path that ends in a slash; a line may have another reading without it
}

func splitLines(text string) []string { return strings.Split(text, match.LineEnd) }

// changedLines returns the lines that a step has changed, and where each line is among them.
func changedLines(before, after string) (text string, at []int) {
	old := splitLines(before)
	at = make([]int, len(old))
	var changed []string
	for i, line := range splitLines(after) {
		at[i] = -1
		if line != old[i] {
			at[i] = len(changed)
			changed = append(changed, line)
		}
	}
	return strings.Join(changed, match.LineEnd), at
}

// ofLines returns the values of lines that are among others.
func ofLines(values []bool, at []int) []bool {
	if values == nil {
		return nil
	}
	var some []bool
	for i, value := range values {
		if at[i] >= 0 {
			some = append(some, value)
		}
	}
	return some
}

// newLineReadings makes the readings of lines that asLine has made.
func newLineReadings(text string) *lineReadings {
	count := strings.Count(text, match.LineEnd) + 1
	l := &lineReadings{open: make([]bool, count), cutOpen: make([]bool, count)}
	r := &lineRound{}
	for round := 0; ; round++ {
		l.rounds = append(l.rounds, r)
		l.round(r, text)
		decoded := decodeText(text)
		if len(decoded) == len(text) {
			return l
		}
		changed, at := changedLines(text, decoded)
		if round == limits.DecodeRounds {
			l.over = at
			return l
		}
		text = changed
		r = &lineRound{at: at}
		l.open = ofLines(l.open, at)
		l.cutOpen = ofLines(l.cutOpen, at)
	}
}

// isOver reports whether the last round of decoding is not enough for a line, where it is not enough for some.
func (l *lineReadings) isOver(line int) bool {
	for _, round := range l.rounds {
		if round.at != nil {
			line = round.at[line]
		}
		if line < 0 {
			return false
		}
	}
	return l.over[line] >= 0
}

// round is textReadings.readings.
func (l *lineReadings) round(round *lineRound, r string) {
	l.open = opened(l.open, r)
	whole := round.group(nil, l.open)
	if hasOnly(r, unmarkedBytes) {
		l.cutOpen = opened(l.cutOpen, r)
		whole.forms(r)
		return
	}
	f := foldText(r)
	c, n := cutText(f), textControls.Replace(f)
	l.cutOpen = opened(l.cutOpen, c)
	if f != r {
		l.cutOpen = opened(l.cutOpen, cutText(r))
	}
	whole.forms(r)
	if f != r {
		round.changed(r, f, l.open)
	}
	if c != f {
		round.changed(f, c, l.cutOpen)
	}
	if n != f {
		round.changed(f, n, l.open)
	}
}

// changed adds the readings of the lines that a step has changed.
func (r *lineRound) changed(before, after string, open []bool) {
	text, at := changedLines(before, after)
	r.group(at, ofLines(open, at)).forms(text)
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

// group adds a group for the lines of the round.
func (r *lineRound) group(at []int, open []bool) *readingGroup {
	g := &readingGroup{at: at, open: open, seen: map[string]bool{}}
	r.groups = append(r.groups, g)
	return g
}

// forms is textReadings.forms.
func (g *readingGroup) forms(b string) {
	isShaped := hasShapes(b)
	g.take(b, !isShaped)
	if isShaped {
		g.shapes(b)
	}
}

func (g *readingGroup) shapes(b string) {
	s := strings.ReplaceAll(b, `\`, "/")
	if s != b {
		g.take(strings.ReplaceAll(b, `\`, ""), false)
		g.take(s, false)
	}
	collapsed := collapseText(s)
	g.take(dotsText(collapsed), true)
	if collapsed != s {
		g.take(collapseText(dotsText(s)), true)
	}
	p := withoutParametersText(s)
	if p != s {
		g.take(dotsText(collapseText(p)), true)
	}
	if n := windowsText(p); n != p {
		g.take(dotsText(collapseText(n)), true)
	}
}

// take adds a reading of all lines of the group, unless each line has it.
func (g *readingGroup) take(text string, isPath bool) {
	wasPath, isSeen := g.seen[text]
	if isSeen && (wasPath || !isPath) {
		return
	}
	g.seen[text] = isPath
	hasSlashes := isPath && strings.Contains(text+match.LineEnd, "/\n")
	g.readings = append(g.readings, &lineReading{splitLines(textEscapes(text)), hasSlashes})
}
