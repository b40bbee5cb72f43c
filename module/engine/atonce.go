package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// of returns the candidates of a line, as readText makes them.
func (l *lineReadings) of(i int) []string {
	var candidates []string
	found := map[string]bool{}
	isOpen, isCutOpen := false, false
	for _, g := range l.groups {
		if r := g.round; r != nil {
			isOpen = isOpen || !strings.HasSuffix(r.text[i], "/")
			isCutOpen = isCutOpen || !strings.HasSuffix(r.cut[i], "/") || !strings.HasSuffix(r.foldedCut[i], "/")
		}
		if g.of != nil && g.of[i] == g.from[i] {
			continue
		}
		for _, reading := range g.readings {
			text := reading.lines[i]
			if !found[text] {
				found[text] = true
				candidates = append(candidates, text)
			}
			if !reading.isPath || !strings.HasSuffix(text, "/") || g.isCut && !isCutOpen || !g.isCut && !isOpen {
				continue
			}
			if shorter := withoutEndText(text); !found[shorter] {
				found[shorter] = true
				candidates = append(candidates, shorter)
			}
		}
	}
	return candidates
}

// readLine is readText for a line of several.
func (v *view) readLine(w *workspace, l *lineReadings, i int) {
	texts := l.of(i)
	v.lines = strings.Join(texts, match.LineEnd)
	if bytes := len(v.lines) - len(texts) + 1; bytes <= limits.ViewBytes && w.used+bytes <= limits.RequestBytes {
		w.used += bytes
		v.size = bytes
		for _, text := range texts {
			v.candidates = append(v.candidates, []byte(text))
		}
	} else {
		for k, text := range texts {
			if !v.take(w, []byte(text)) {
				v.lines = strings.Join(texts[:k], match.LineEnd)
				return
			}
		}
	}
	if l.isOver != nil && l.isOver[i] {
		v.limit = ReasonLimitDecodeRounds
	}
}

// fewestTexts are read at once: a few are read faster one by one.
const fewestTexts = 4

// readAtOnce makes the readings of those texts that have several. hasPluses: a plus is also a space.
func (e *evaluation) readAtOnce(texts []string, hasPluses bool) {
	e.lineOf = map[string]int{}
	if len(texts) < fewestTexts {
		return
	}
	var lines []string
	add := func(text string) {
		if _, isKnown := e.lineOf[text]; !isKnown && len(text) <= limits.BodyValueBytes && !isPlainText(text) {
			e.lineOf[text] = len(lines)
			lines = append(lines, asLine.Replace(text))
		}
	}
	for _, text := range texts {
		if isWordText(text) {
			continue
		}
		add(text)
		if hasPluses && strings.Contains(text, "+") {
			add(strings.ReplaceAll(text, "+", " "))
		}
	}
	if len(lines) > 0 {
		e.readings = newLineReadings(strings.Join(lines, match.LineEnd))
	}
}

// readingsOf returns the readings of a text of at most longest bytes, which may have been made at once.
func (e *evaluation) readingsOf(text string, longest int) *view {
	r := &view{}
	if i, isRead := e.lineOf[text]; isRead {
		r.readLine(&e.words, e.readings, i)
	} else {
		r.readText(&e.words, text, longest)
	}
	return r
}

// gathered adds readings to a view of several texts and, as lines, to lines.
func gathered(v *view, lines []string, r *view) []string {
	if len(r.candidates) == 0 {
		return lines
	}
	v.candidates = append(v.candidates, r.candidates...)
	return append(lines, r.lines)
}
