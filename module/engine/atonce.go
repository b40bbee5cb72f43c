package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// candidatesOf returns the candidates of a line, as readText makes them. It is one function, because an interpreter takes longer for
// a call than for most of these lines.
func candidatesOf(l *lineReadings, i int) []string {
	var candidates []string
	found := map[string]bool{}
	for _, round := range l.rounds {
		if round.at != nil {
			i = round.at[i]
		}
		if i < 0 {
			break
		}
		for _, g := range round.groups {
			at := i
			if g.at != nil {
				at = g.at[i]
			}
			if at < 0 {
				continue
			}
			last := match.LineEnd // no line
			for _, lines := range g.readings {
				text := lines[at]
				if text == last {
					continue
				}
				last = text
				if !found[text] {
					found[text] = true
					candidates = append(candidates, text)
				}
			}
		}
	}
	return candidates
}

// linesOfRead returns the candidates, as lines, of a text that was read at once, unless they reach a limit.
func linesOfRead(e *evaluation, text string) (lines string, isRead bool) {
	i, isRead := e.lineOf[text]
	if !isRead || e.readings.over != nil && e.readings.isOver(i) {
		return "", false
	}
	candidates := candidatesOf(e.readings, i)
	lines = strings.Join(candidates, match.LineEnd)
	bytes := len(lines) - len(candidates) + 1
	if bytes > limits.ViewBytes || e.words.used+bytes > limits.RequestBytes {
		return "", false
	}
	e.words.used += bytes
	return lines, true
}

// readLine is readText for a line of several that reaches a limit.
func (v *view) readLine(w *workspace, l *lineReadings, i int) {
	if v.takeLines(w, candidatesOf(l, i)) && l.over != nil && l.isOver(i) {
		v.limit = ReasonLimitDecodeRounds
	}
}

// takeLines takes candidates until one exceeds a limit.
func (v *view) takeLines(w *workspace, lines []string) bool {
	for k, line := range lines {
		if !v.take(w, []byte(line)) {
			v.lines = strings.Join(lines[:k], match.LineEnd)
			return false
		}
	}
	v.lines = strings.Join(lines, match.LineEnd)
	return true
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
	if lines, isRead := linesOfRead(e, text); isRead {
		return &view{lines: lines}
	}
	return e.limitedReadingsOf(text, longest)
}

// limitedReadingsOf is readingsOf for a text that was not read at once, or reaches a limit.
func (e *evaluation) limitedReadingsOf(text string, longest int) *view {
	r := &view{}
	if i, isRead := e.lineOf[text]; isRead {
		r.readLine(&e.words, e.readings, i)
	} else {
		r.readText(&e.words, text, longest)
	}
	return r
}
