package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// scanWork bounds the scan of a body, in bytes that the prefilter or a pattern searches. A body that needs more is
// inspected value by value, within the budget of its candidates.
const scanWork = 64 * limits.BodyValueBytes

// bodyScan makes the readings of all values of a body at once, for an interpreter: a few dozen calls of the standard
// library for any body. It finds no less than the inspection of each value does: it makes each reading of each value,
// without the limits that end an inspection.
type bodyScan struct {
	search *match.LineSearch
	seen   map[string]bool
}

// isClear reports whether no pattern matches a reading of some lines. False may also mean that it is too much work.
func (s *bodyScan) isClear(lines string) bool {
	isClear := true
	t := &textReadings{take: func(reading string) bool {
		if !s.seen[reading] {
			s.seen[reading] = true
			isClear = s.search.IsClear(textEscapes(reading))
		}
		return isClear
	}}
	t.read(lines)
	return isClear
}

// isClear reports whether a scan of the whole body decides that no rule concerns it. A cut value ends elsewhere in the
// scan, so that a longer body is not scanned.
func (b *bodyInspection) isClear(body []byte) bool {
	if b.rules.bodyPatterns == nil || b.trace != nil || len(body) > limits.BodyValueBytes || b.rules.policy.BodyOverflow != overflowPasses {
		return false
	}
	scan := &bodyScan{search: match.NewLineSearch(b.rules.bodyPatterns, scanWork), seen: map[string]bool{}}
	for _, f := range b.formats {
		lines := b.linesOf(f, body)
		if !scan.isClear(lines) {
			return false
		}
		if pluses := linesWith(lines, markedPluses); f == formFormat && pluses != "" && !scan.isClear(strings.ReplaceAll(pluses, "+", " ")) {
			return false
		}
	}
	return true
}

func (b *bodyInspection) linesOf(f format, body []byte) string {
	switch f {
	case formFormat:
		return formLines(string(body))
	case jsonFormat:
		return jsonLines(string(body))
	}
	c := &bodyInspection{evaluation: b.evaluation, types: b.types, collects: true}
	for _, boundary := range boundariesOf(b.types) {
		c.inspectParts(body, boundary)
	}
	return strings.Join(c.lines, match.LineEnd)
}
