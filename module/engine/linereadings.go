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
	over   []int // of the lines of the last round: at least zero: it is not enough; nil: it is for all
}

// lineRound has the readings of one round of decoding.
type lineRound struct {
	at     []int // where the lines of the round before are in this one; below zero: they are not; nil: in the same place
	groups []*readingGroup
}

// readingGroup has the readings of one call of textReadings.forms.
type readingGroup struct {
	at       []int           // where the lines of the round are in the group, as in lineRound
	readings [][]string      // each has a reading of each line, printable
	seen     map[string]bool // the texts of the readings
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

// newLineReadings makes the readings of lines that asLine has made.
func newLineReadings(text string) *lineReadings {
	l := &lineReadings{}
	r := &lineRound{}
	for round := 0; ; round++ {
		l.rounds = append(l.rounds, r)
		r.read(text)
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

// read is textReadings.readings.
func (r *lineRound) read(text string) {
	r.group(nil).forms(text)
	if !hasOnly(text, unmarkedBytes) {
		folded := foldText(text)
		r.changed(text, folded)
		ended := cutText(folded)
		r.changed(folded, ended)
		r.changed(folded, textControls.Replace(folded))
		if ended != folded {
			r.changed(folded, textControls.Replace(ended))
		}
		if valid := strings.ToValidUTF8(text, ""); valid != text {
			some, at := changedLines(text, valid)
			r.group(at).forms(textControls.Replace(foldText(some)))
		}
	}
	r.changed(text, base64Texts(text))
}

// changed adds the readings of the lines that a step has changed.
func (r *lineRound) changed(before, after string) {
	if after != before {
		text, at := changedLines(before, after)
		r.group(at).forms(text)
	}
}

// group adds a group for the lines of the round.
func (r *lineRound) group(at []int) *readingGroup {
	g := &readingGroup{at: at, seen: map[string]bool{}}
	r.groups = append(r.groups, g)
	return g
}

// forms is textReadings.forms.
func (g *readingGroup) forms(b string) {
	g.take(b)
	if hasShapes(b) {
		g.shapes(b)
	}
}

func (g *readingGroup) shapes(b string) {
	s := strings.ReplaceAll(b, `\`, "/")
	if s != b {
		g.take(strings.ReplaceAll(b, `\`, ""))
		g.take(s)
	}
	g.resolved(s)
	p := withoutParametersText(s)
	if p != s {
		g.resolved(p)
	}
	if n := windowsText(p); n != p {
		g.take(dotsText(collapseText(n)))
	}
}

// resolved is view.resolved for lines.
func (g *readingGroup) resolved(s string) {
	collapsed := collapseText(s)
	g.take(dotsText(collapsed))
	if collapsed != s {
		g.take(collapseText(dotsText(s)))
	}
}

// take adds a reading of all lines of the group, unless the group has it.
func (g *readingGroup) take(text string) {
	if !g.seen[text] {
		g.seen[text] = true
		g.readings = append(g.readings, splitLines(textEscapes(text)))
	}
}
