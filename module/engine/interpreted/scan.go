package interpreted

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// Bounds of a scan. Within them, a scan takes at most half a second. A body beyond them is inspected in batches or
// value by value.
const (
	readingBytes = 16 * limits.RequestBytes // bytes of all readings
	suspectBytes = 8 * limits.RequestBytes  // bytes of lines that a pattern may match
	mostMatches  = 2048                     // matches of a pattern with a line
)

const (
	manyMarks  = 64      // if a reading has more marks, all its lines are suspects
	batchBytes = 1 << 18 // bytes of suspects that are matched at once: the registers of programs then fit into a processor's cache
	longText   = 1 << 14 // number of bytes from which a program takes less time than a regexp.Regexp
)

// scan matches the candidates of all values of a body at once, with a few dozen calls of the standard library.
type scan struct {
	patterns *search
	texts    map[string]bool // readings that were searched for literals
	lines    map[string]bool // lines that a pattern may match
	suspects []string        // the texts to match: lines, and whole readings that have many such lines
	bytes    int             // bytes of the suspects
	size     int             // bytes of all readings
	exact    int             // bytes of the candidates of all values; only counted with isExact
	found    map[string]bool // lines that a pattern matches
	matches  int             // number of matches of a pattern with a line
}

// scanValues implements Steps.Scan of package engine for non-empty values.
func scanValues(patterns *search, values []string, hasPluses, isExact bool) *engine.Scan {
	s := &scan{patterns: patterns, texts: map[string]bool{}, lines: map[string]bool{}, found: map[string]bool{}}
	lines := joinLines(values)
	isWhole := s.read(lines, isExact)
	if hasPluses && strings.Contains(lines, "+") {
		isSpacedWhole := s.read(strings.ReplaceAll(strings.Join(lineWithPlus.FindAllString(lines, -1), match.LineEnd), "+", " "), isExact)
		isWhole = isWhole && isSpacedWhole
	}
	if s.exceedsBounds() {
		return nil
	}
	s.matchSuspects()
	if s.exceedsBounds() {
		return nil
	}
	size := s.size
	if isExact {
		size = s.exact
	}
	return &engine.Scan{Matched: s.found, IsWhole: isWhole, Size: size, NotWords: countNotWords(lines)}
}

var lineWithPlus = regexp.MustCompile(`(?m)^[^+\n]*\+.*$`)

// read adds the readings of lines. It returns false where limits.DecodeRounds are not enough.
func (s *scan) read(lines string, isExact bool) bool {
	r := &readings{yield: s.addReading}
	if isExact {
		candidates := make([]map[string]bool, strings.Count(lines, match.LineEnd)+1)
		r.yield = func(reading string) bool {
			s.countCandidates(candidates, escaped(reading))
			return s.addReading(reading)
		}
	}
	return r.read(lines)
}

// countCandidates counts the bytes of new candidates. candidates has the earlier candidates of each value.
func (s *scan) countCandidates(candidates []map[string]bool, text string) {
	for i, line := range strings.Split(text, match.LineEnd) {
		if candidates[i] == nil {
			candidates[i] = map[string]bool{}
		}
		if !candidates[i][line] {
			candidates[i][line] = true
			s.exact += len(line)
		}
	}
}

func (s *scan) exceedsBounds() bool {
	return s.size > readingBytes || s.bytes > suspectBytes || s.matches > mostMatches
}

// addReading adds the lines that contain a literal to the suspects. It returns false when the scan exceeds its bounds.
func (s *scan) addReading(reading string) bool {
	text := escaped(reading)
	if !s.texts[text] {
		s.texts[text] = true
		s.size += len(text)
		whole := wholeLines(text)
		lower := lowerCase(whole)
		for _, f := range s.patterns.filters {
			marks := ""
			if !f.isBlind {
				marks = f.marked(lower)
			}
			if f.isBlind || strings.Count(marks, literalMark) > manyMarks {
				s.suspects = append(s.suspects, text)
				s.bytes += len(text)
				break
			}
			eachLine(whole, marks, literalMark, s.addLine)
		}
	}
	return !s.exceedsBounds()
}

// addLine adds a line to the suspects. It returns true, so that eachLine continues.
func (s *scan) addLine(line string) bool {
	if !s.lines[line] {
		s.lines[line] = true
		s.suspects = append(s.suspects, line)
		s.bytes += len(line)
	}
	return true
}

// wholeLines puts a line end before and after each line, so that a literal can include the start or the end of a line.
func wholeLines(lines string) string {
	return match.LineEnd + strings.ReplaceAll(lines, match.LineEnd, match.LineEnd+match.LineEnd) + match.LineEnd
}

// eachLine yields the lines of whole that have a mark, until yield returns false. marks is whole with some bytes marked.
func eachLine(whole, marks, mark string, yield func(line string) bool) {
	for at := strings.Index(marks, mark); at >= 0; {
		start := strings.LastIndex(whole[:at+1], match.LineEnd) + 1
		end := start + strings.Index(whole[start:], match.LineEnd)
		if !yield(whole[start:end]) {
			return
		}
		next := strings.Index(marks[end:], mark)
		at = end + next
		if next < 0 {
			at = next
		}
	}
}

// matchSuspects finds the suspects that some pattern matches. It also tries them without their final slashes.
func (s *scan) matchSuspects() {
	first, size := 0, 0
	for i, lines := range s.suspects {
		if size += len(lines); size >= batchBytes || i == len(s.suspects)-1 {
			s.matchLines(withBareLines(strings.Join(s.suspects[first:i+1], match.LineEnd)))
			first, size = i+1, 0
		}
	}
}

func (s *scan) matchLines(lines string) {
	if len(lines) >= longText {
		s.matchLongText(lines)
		return
	}
	whole := wholeLines(lines)
	lower := lowerCase(whole)
	for _, f := range s.patterns.filters {
		for i := f.nextSuspect(lower, 0); i >= 0; i = f.nextSuspect(lower, i+1) {
			m := f.members[i]
			if _, isUsed := s.patterns.places[m.matcher]; !isUsed {
				continue
			}
			try := func(line string) bool {
				if m.matcher.Match([]byte(line)) {
					s.found[line] = true
				}
				return true
			}
			if !mayMatch(m, lines) {
				continue
			}
			if m.marked == nil {
				for _, line := range strings.Split(lines, match.LineEnd) {
					try(line)
				}
			} else {
				eachLine(whole, m.marked(lower), literalMark, try)
			}
		}
	}
}

// matchLongText is like matchLines, but tries each pattern on all lines at once, which is faster for a long text.
func (s *scan) matchLongText(lines string) {
	whole := match.LineEnd + lines + match.LineEnd
	isOut := false
	lower := lowerCase(whole)
	p := newPlacesOf(whole)
	for _, f := range s.patterns.filters {
		for i, m := range f.members {
			g := f.groups[i/groupSize]
			if i%groupSize == 0 {
				isOut = !g.isBlind && g.marked(lower) == lower
			}
			if _, isUsed := s.patterns.places[m.matcher]; !isOut && isUsed && !s.exceedsBounds() {
				s.matchPattern(p, m, whole)
			}
		}
	}
}

func (s *scan) matchPattern(p *placesOf, m *member, whole string) {
	p.isMore = false
	found := placesBefore(p, programOf(m))
	if found.Sign() == 0 {
		return
	}
	isMore := p.isMore
	digits := found.Text(2)
	digits = strings.Repeat("0", len(whole)-len(digits)) + digits
	eachLine(whole, digits, "1", func(line string) bool {
		s.matches++
		if !isMore || m.matcher.Match([]byte(line)) {
			s.found[line] = true
		}
		return !s.exceedsBounds()
	})
}
