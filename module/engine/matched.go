package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
)

// What a scan of a body has found: the readings that a rule matches. Only candidates that are among them are matched again.

// mayMatch reports whether a rule may match one of some lines.
func (e *evaluation) mayMatch(lines string) bool {
	if e.matched == nil || len(e.matched) > fewMatched {
		return e.rules.interpreted.Whole(withBareLines(lines)) != ""
	}
	whole := match.LineEnd + withBareLines(lines) + match.LineEnd
	for line := range e.matched {
		if strings.Contains(whole, match.LineEnd+line+match.LineEnd) {
			return true
		}
	}
	return false
}

// fewMatched are searched for one by one.
const fewMatched = 64

// keepMatched removes the candidates of a value of a body that no rule matches.
func (e *evaluation) keepMatched(v *view) {
	v.split(0)
	var lines []string
	all := v.candidates
	v.candidates = nil
	for _, candidate := range all {
		if line := string(candidate); e.matched[line] || e.matched[strings.TrimRight(line, "/")] {
			v.candidates = append(v.candidates, candidate)
			lines = append(lines, line)
		}
	}
	v.lines = strings.Join(lines, match.LineEnd)
}

// gathered is the view of the candidates of several texts.
func (e *evaluation) gathered(lines []string) *view {
	v := &view{lines: strings.Join(lines, match.LineEnd)}
	v.isGathered = len(lines) > 0 && (e.matched == nil || e.mayMatch(v.lines))
	return v
}

// split makes candidates of the lines of a gathered view from one of them on, which most bodies need not.
func (v *view) split(from int) {
	if !v.isGathered {
		return
	}
	lines := splitLines(v.lines)
	v.candidates = make([][]byte, len(lines))
	for i := from; i < len(lines); i++ {
		v.candidates[i] = []byte(lines[i])
	}
	v.isGathered = false
}

// withLines appends the lines of a view.
func withLines(lines []string, v *view) []string {
	if v.lines == "" && v.limit != "" {
		return lines // it was reached before the first candidate
	}
	return append(lines, v.lines)
}
