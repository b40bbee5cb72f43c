package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// Bounds of the candidates of a body that are scanned, in bytes. A body with more is inspected value by value, within the budget of
// its candidates. A scan at its bounds takes about as long.
const (
	readingBytes = 16 * limits.RequestBytes // of all lines
	suspectBytes = 4 * limits.RequestBytes  // of lines that a pattern may match
	matchedBytes = 16 * limits.RequestBytes // of these lines, once for each pattern that is tried
)

// scan makes the candidates of all values of a body at once: a few dozen calls of the standard library for any body. It finds no less
// than the inspection of each value does: it makes each reading of each value, without the limits that end an inspection.
type scan struct {
	patterns *prefilter
	texts    map[string]bool // of lines, that were searched
	lines    map[string]bool // that a pattern may match
	suspects []string        // these lines
	bytes    int             // of these lines
	size     int             // bytes of all lines
	tried    int             // bytes of the lines that patterns were tried on
}

// scanned reads values that are not empty; nil: there is too much to read. hasPluses: a plus is also a space.
func scanned(patterns *prefilter, values []string, hasPluses bool) *engine.Scan {
	s := &scan{patterns: patterns, texts: map[string]bool{}, lines: map[string]bool{}}
	r := &readings{take: s.take}
	lines := asLines(values)
	isWhole := r.read(lines)
	if hasPluses && strings.Contains(lines, "+") {
		isSpacedWhole := r.read(strings.ReplaceAll(lines, "+", " "))
		isWhole = isWhole && isSpacedWhole
	}
	if s.isTooMuch() {
		return nil
	}
	matched := s.matched()
	if s.isTooMuch() {
		return nil
	}
	return &engine.Scan{Matched: matched, IsWhole: isWhole, Size: s.size, NotWords: notWords(lines)}
}

func (s *scan) isTooMuch() bool {
	return s.size > readingBytes || s.bytes > suspectBytes || s.tried > matchedBytes
}

// take searches the lines of a reading for literals. It returns false when there is too much to read.
func (s *scan) take(reading string) bool {
	text := escaped(reading)
	if !s.texts[text] {
		s.texts[text] = true
		s.size += len(text)
		whole := wholeLines(text)
		s.each(s.patterns.marked, s.patterns.isBlind, whole, lowerCase(whole), s.add)
	}
	return !s.isTooMuch()
}

func (s *scan) add(line string) {
	if !s.lines[line] {
		s.lines[line] = true
		s.suspects = append(s.suspects, line)
		s.bytes += len(line)
	}
}

// wholeLines gives each line both of its ends.
func wholeLines(lines string) string {
	return match.LineEnd + strings.ReplaceAll(lines, match.LineEnd, match.LineEnd+match.LineEnd) + match.LineEnd
}

// each yields the lines that have a literal, which marked marks in their lower case.
func (s *scan) each(marked func(text string) string, isBlind bool, whole, lower string, yield func(line string)) {
	if isBlind {
		for _, line := range strings.Split(whole[1:len(whole)-1], match.LineEnd+match.LineEnd) {
			yield(line)
		}
		return
	}
	found := marked(lower)
	for at := strings.Index(found, mark); at >= 0 && !s.isTooMuch(); {
		start := strings.LastIndex(found[:at], match.LineEnd) + 1
		end := at + strings.Index(found[at:], match.LineEnd)
		yield(whole[start:end])
		next := strings.Index(found[end:], mark)
		at = end + next
		if next < 0 {
			at = next
		}
	}
}

// matched returns the lines that some pattern matches, also without their final slashes.
func (s *scan) matched() map[string]bool {
	found := map[string]bool{}
	if len(s.suspects) == 0 {
		return found
	}
	whole := wholeLines(strings.Join(s.suspects, match.LineEnd))
	lower := lowerCase(whole)
	f := s.patterns
	for i := f.next(lower, 0); i >= 0; i = f.next(lower, i+1) {
		m, member := f.patterns[i], f.groups[i/groupSize].members[i%groupSize]
		s.each(member, member == nil, whole, lower, func(line string) {
			s.tried += len(line)
			if !found[line] && (m.Match([]byte(line)) || m.Match([]byte(strings.TrimRight(line, "/")))) {
				found[line] = true
			}
		})
	}
	return found
}
