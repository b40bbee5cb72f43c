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
	search  *match.LineSearch
	seen    map[string]bool
	size    int  // bytes of the readings
	isWhole bool // no value needs more rounds of decoding
}

// isClear reports whether no pattern matches a reading of some lines. False may also mean that it is too much work.
func (s *bodyScan) isClear(lines string) bool {
	isClear := true
	t := &textReadings{take: func(reading string) bool {
		if !s.seen[reading] {
			s.seen[reading] = true
			candidates := textEscapes(reading)
			s.size += len(candidates)
			isClear = s.search.IsClear(candidates)
		}
		return isClear
	}}
	s.isWhole = t.read(lines) && s.isWhole
	return isClear
}

// isClear reports whether a scan of the whole body decides that it is allowed. A cut value ends elsewhere in the scan, so
// that a longer body is not scanned.
func (b *bodyInspection) isClear(body []byte) bool {
	if b.rules.bodyPatterns == nil || b.trace != nil || len(body) > limits.BodyValueBytes {
		return false
	}
	scan := &bodyScan{search: match.NewLineSearch(b.rules.bodyPatterns, scanWork), seen: map[string]bool{}, isWhole: true}
	counted := 0
	for _, f := range b.formats {
		lines, values := b.linesOf(f, body)
		counted += values
		if !scan.isClear(lines) {
			return false
		}
		if pluses := linesWith(lines, markedPluses); f == formFormat && pluses != "" && !scan.isClear(strings.ReplaceAll(pluses, "+", " ")) {
			return false
		}
	}
	if b.rules.policy.BodyOverflow == overflowPasses {
		return true
	}
	// Where all readings together are within the limit of one value, no value and no body reaches a limit of its bytes.
	return counted <= limits.BodyValues && scan.isWhole && scan.size <= limits.ViewBytes && b.cause() == ""
}

// linesOf returns the values of a body as lines, and how many count towards the limit on values, or more.
func (b *bodyInspection) linesOf(f format, body []byte) (lines string, counted int) {
	switch f {
	case formFormat:
		lines = formLines(string(body))
	case jsonFormat:
		lines = jsonLines(string(body))
	case xmlFormat:
		isCut := false
		if lines, isCut = xmlLines(string(body)); isCut {
			return lines, limits.BodyValues + 1
		}
	default:
		c := &bodyInspection{evaluation: b.evaluation, types: b.types, collects: true}
		for _, boundary := range boundariesOf(b.types) {
			c.inspectParts(body, boundary)
		}
		b.hasUnknownPart = c.hasUnknownPart
		if c.overflow != "" {
			c.counted = limits.BodyValues + 1
		}
		return strings.Join(c.lines, match.LineEnd), c.counted
	}
	return lines, notWords(lines)
}
