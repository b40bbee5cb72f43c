package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// textReading fills a view as view.read does, for an interpreted program.
type textReading struct {
	view  *view
	words *workspace
	found map[string]bool // the candidates
	texts []string        // the candidates in order
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
	t := &textReading{view: v, words: w, found: map[string]bool{}}
	t.read(text)
	v.lines = strings.Join(t.texts, match.LineEnd)
}

func (t *textReading) read(text string) {
	for round := 0; t.readings(text); round++ {
		decoded := decodeText(text)
		if len(decoded) == len(text) {
			return
		}
		if round == limits.DecodeRounds {
			t.view.limit = ReasonLimitDecodeRounds
			return
		}
		text = decoded
	}
}

// readings adds the readings of one round of decoding. It returns false when a limit was reached.
func (t *textReading) readings(r string) bool {
	if len(textMarks.Replace(r)) == len(r) {
		return t.forms(r)
	}
	f := foldText(r)
	c, n := cutText(f), textControls.Replace(f)
	return t.forms(r) && (f == r || t.forms(f)) && (c == f || t.forms(c)) && (n == f || t.forms(n))
}

// forms is view.forms for a string.
func (t *textReading) forms(b string) bool {
	if len(textShapes.Replace(b)) == len(b) && !hasEnd(b) {
		return t.add(b)
	}
	s := strings.ReplaceAll(b, `\`, "/")
	if !t.add(b) || s != b && !(t.add(strings.ReplaceAll(b, `\`, "")) && t.add(s)) {
		return false
	}
	collapsed := collapseText(s)
	if !t.add(dotsText(collapsed)) || collapsed != s && !t.add(collapseText(dotsText(s))) {
		return false
	}
	p := withoutParametersText(s)
	if p != s && !t.add(dotsText(collapseText(p))) {
		return false
	}
	n := windowsText(p)
	return n == p || t.add(dotsText(collapseText(n)))
}

func (t *textReading) add(reading string) bool {
	candidate := textEscapes.Replace(reading)
	if t.found[candidate] {
		return true
	}
	if !t.view.take(t.words, []byte(candidate)) {
		return false
	}
	t.found[candidate] = true
	t.texts = append(t.texts, candidate)
	return true
}
