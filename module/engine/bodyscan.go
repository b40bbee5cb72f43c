package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// Bounds of the readings of a body that are scanned, in bytes. A body with more is inspected in batches of values, within the budget
// of its candidates. With half of this budget, a body that is scanned first and then inspected costs little more than one whose scan
// ends early.
const (
	scanBytes    = limits.RequestBytes / 2  // of lines that a pattern may match
	readingBytes = 16 * limits.RequestBytes // of all lines
)

// bodyScan makes the readings of all values of a body at once, for an interpreter: a few dozen calls of the standard
// library for any body. It finds no less than the inspection of each value does: it makes each reading of each value,
// without the limits that end an inspection.
type bodyScan struct {
	search  *match.LineSearch
	seen    map[string]bool
	size    int  // bytes of the readings
	isWhole bool // no value needs more rounds of decoding
	// mindsSpaces is that of textReadings.
	mindsSpaces bool
}

// add adds the readings of some lines. It returns false when there are too many.
func (s *bodyScan) add(lines string) bool {
	isFew := true
	t := &textReadings{take: func(reading string) bool {
		if !s.seen[reading] {
			s.seen[reading] = true
			candidates := textEscapes(reading)
			s.size += len(candidates)
			isFew = s.search.Add(withBareLines(candidates)) <= scanBytes && s.size <= readingBytes
		}
		return isFew
	}}
	s.isWhole = t.read(lines) && s.isWhole
	s.mindsSpaces = s.mindsSpaces || t.mindsSpaces
	return isFew
}

// addForm adds the readings of the values of a form, in which a plus is a plus and a space. Both have the same literals and the same
// lengths, unless some step minds spaces.
func (s *bodyScan) addForm(lines string) bool {
	if !s.add(strings.ReplaceAll(lines, "+", " ")) {
		return false
	}
	pluses := linesWith(lines, markedPluses)
	return pluses == "" || !s.mindsSpaces && s.search.IsClearWithPluses() || s.add(pluses)
}

// isClear reports whether a scan of the whole body decides that it is allowed. A cut value ends elsewhere in the scan, so
// that a longer body is not scanned. The runs of text in an encoded one are few.
func (b *bodyInspection) isClear(body []byte) bool {
	if b.rules.bodyPatterns == nil || b.trace != nil || b.isEncoded || len(body) > limits.BodyValueBytes {
		return false
	}
	scan := &bodyScan{search: match.NewLineSearch(b.rules.bodyPatterns), seen: map[string]bool{}, isWhole: true}
	counted := 0
	for _, f := range b.formats {
		lines, values := b.linesOf(f, body)
		counted += values
		if f == formFormat && !scan.addForm(lines) || f != formFormat && !scan.add(lines) {
			return false
		}
	}
	if b.matched = scan.search.Matched(); b.matched == nil || len(b.matched) > 0 {
		return false
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
		if inner := innerLines(lines); inner != "" {
			lines += match.LineEnd + inner
		}
	case jsonFormat:
		lines = jsonLines(string(body))
	case xmlFormat:
		isCut := false
		if lines, isCut = xmlAnyLines(string(body)); isCut {
			return lines, limits.BodyValues + 1
		}
	default:
		return b.partLines(body)
	}
	return lines, notWords(lines)
}

// partLines is linesOf for a multipart form.
func (b *bodyInspection) partLines(body []byte) (lines string, counted int) {
	c := &bodyInspection{evaluation: b.evaluation, types: b.types, collects: true}
	var forms []string
	for _, boundary := range boundariesOf(b.types) {
		if form, count, isPlain := plainFormLines(body, boundary); isPlain {
			forms = append(forms, form)
			counted += count
		} else {
			c.inspectParts(body, boundary)
		}
	}
	b.hasUnknownPart = c.hasUnknownPart
	if c.overflow != "" {
		c.counted = limits.BodyValues + 1
	}
	for i, text := range c.texts {
		c.texts[i] = asLine.Replace(text)
	}
	return strings.Join(append(forms, c.texts...), match.LineEnd), counted + c.counted
}
