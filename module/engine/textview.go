package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// textReadings makes the readings of lines in the order of view.read, for an interpreted program.
type textReadings struct {
	take func(reading string) bool // false: ends the readings
}

// readText is view.read for a string.
func (v *view) readText(w *workspace, text string, longest int) {
	if len(text) > longest {
		v.limit = ReasonLimitLength
		return
	}
	if isPlainText(text) {
		if v.take(w, []byte(text)) {
			v.lines = text
		}
		return
	}
	found := map[string]bool{}
	var texts []string
	t := &textReadings{take: func(reading string) bool {
		candidate := textEscapes(reading)
		if found[candidate] {
			return true
		}
		if !v.take(w, []byte(candidate)) {
			return false
		}
		found[candidate] = true
		texts = append(texts, candidate)
		return true
	}}
	if !t.read(asLine.Replace(text)) {
		v.limit = ReasonLimitDecodeRounds
	}
	v.lines = strings.Join(texts, match.LineEnd)
}

// read returns false where the last round of decoding is not enough.
func (t *textReadings) read(text string) bool {
	for round := 0; t.readings(text); round++ {
		text = linesWith(text, markedPercents)
		decoded := decodeText(text)
		if len(decoded) == len(text) {
			return true
		}
		if round == limits.DecodeRounds {
			return false
		}
		text = decoded
	}
	return true
}

// readings adds the readings of one round of decoding. It returns false when a limit was reached.
func (t *textReadings) readings(r string) bool {
	if len(textMarks.Replace(r)) == len(r) {
		return t.forms(r)
	}
	f := foldText(r)
	c, n := linesWith(f, markedCuts), linesWith(f, markedControls)
	return t.forms(r) && (f == r || t.forms(f)) && (c == "" || t.forms(cutText(c))) && (n == "" || t.forms(textControls.Replace(n)))
}

// forms is view.forms for lines. A step that does not change a line is not taken for that line again.
func (t *textReadings) forms(b string) bool {
	if !t.take(b) {
		return false
	}
	if len(textShapes.Replace(b)) == len(b) && !hasEnds(b) {
		return true
	}
	if backslashes := linesWith(b, markedBackslashes); backslashes != "" {
		if !t.take(strings.ReplaceAll(backslashes, `\`, "")) || !t.take(strings.ReplaceAll(backslashes, `\`, "/")) {
			return false
		}
	}
	s := strings.ReplaceAll(b, `\`, "/")
	if !t.resolved(linesWith(s, markedSegments)) {
		return false
	}
	if semicolons := linesWith(s, markedSemicolons); semicolons != "" && !t.take(dotsText(collapseText(withoutParametersText(semicolons)))) {
		return false
	}
	p := linesWith(withoutParametersText(s), markedTails)
	return p == "" || t.take(dotsText(collapseText(windowsText(p))))
}

// resolved is view.resolved.
func (t *textReadings) resolved(s string) bool {
	if s == "" {
		return true
	}
	return t.take(dotsText(collapseText(s))) && (!strings.Contains(s, "//") || t.take(collapseText(dotsText(s))))
}
