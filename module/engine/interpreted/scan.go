package interpreted

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// Bounds of a scan: at them it takes about half a second. A body with more is inspected in batches of values, or value by value.
const (
	readingBytes = 16 * limits.RequestBytes // of all readings
	suspectBytes = 8 * limits.RequestBytes  // of lines that a pattern may match
	mostMatched  = 2048                     // lines that a pattern matches, once for each pattern
)

const (
	manyMarks  = 64      // from which all lines of a reading are suspects
	batchBytes = 1 << 18 // in which the numbers of the programs stay in the cache of a processor
	longText   = 1 << 14 // bytes from which programs cost less than expressions
)

// scan makes the candidates of all values of a body at once: a few dozen calls of the standard library for any body. It finds no less
// than the inspection of each value does: it makes each reading of each value, without the limits that end an inspection.
type scan struct {
	patterns *search
	texts    map[string]bool // of lines, that were searched
	lines    map[string]bool // that a pattern may match, in readings with few of them
	suspects []string        // these lines, and readings with many
	bytes    int             // of the suspects
	size     int             // bytes of all readings
	exact    int             // bytes of the candidates of each value, where they are counted
	found    map[string]bool // lines that a pattern matches
	matches  int             // of these lines, once for each pattern
}

// scanned reads values that are not empty; nil: there is too much to read. hasPluses: a plus is also a space. isExact: a candidate
// counts once for each value.
func scanned(patterns *search, values []string, hasPluses, isExact bool) *engine.Scan {
	s := &scan{patterns: patterns, texts: map[string]bool{}, lines: map[string]bool{}, found: map[string]bool{}}
	lines := asLines(values)
	isWhole := s.read(lines, isExact)
	if hasPluses && strings.Contains(lines, "+") {
		isSpacedWhole := s.read(strings.ReplaceAll(strings.Join(withPlus.FindAllString(lines, -1), match.LineEnd), "+", " "), isExact)
		isWhole = isWhole && isSpacedWhole
	}
	if s.isTooMuch() {
		return nil
	}
	s.matchSuspects()
	if s.isTooMuch() {
		return nil
	}
	size := s.size
	if isExact {
		size = s.exact
	}
	return &engine.Scan{Matched: s.found, IsWhole: isWhole, Size: size, NotWords: notWords(lines)}
}

var withPlus = regexp.MustCompile(`(?m)^[^+\n]*\+.*$`)

// read makes the readings of lines. It returns false where the last round of decoding is not enough.
func (s *scan) read(lines string, isExact bool) bool {
	r := &readings{take: s.take}
	if isExact {
		candidates := make([]map[string]bool, strings.Count(lines, match.LineEnd)+1)
		r.take = func(reading string) bool {
			s.count(candidates, escaped(reading))
			return s.take(reading)
		}
	}
	return r.read(lines)
}

// count adds the bytes of the lines that are new candidates of the value in this line.
func (s *scan) count(candidates []map[string]bool, text string) {
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

func (s *scan) isTooMuch() bool {
	return s.size > readingBytes || s.bytes > suspectBytes || s.matches > mostMatched
}

// take searches the lines of a reading for literals. It returns false when there is too much to read.
func (s *scan) take(reading string) bool {
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
			if f.isBlind || strings.Count(marks, mark) > manyMarks {
				s.suspects = append(s.suspects, text)
				s.bytes += len(text)
				break
			}
			eachLine(whole, marks, mark, s.add)
		}
	}
	return !s.isTooMuch()
}

// add returns true: the next line follows.
func (s *scan) add(line string) bool {
	if !s.lines[line] {
		s.lines[line] = true
		s.suspects = append(s.suspects, line)
		s.bytes += len(line)
	}
	return true
}

// wholeLines gives each line both of its ends.
func wholeLines(lines string) string {
	return match.LineEnd + strings.ReplaceAll(lines, match.LineEnd, match.LineEnd+match.LineEnd) + match.LineEnd
}

// eachLine yields the lines of whole that have a mark, until yield returns false. marks has a byte for each byte of whole, and the
// marks.
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

// matchSuspects finds the suspects that some pattern matches, also without their final slashes.
func (s *scan) matchSuspects() {
	first, size := 0, 0
	for i, lines := range s.suspects {
		if size += len(lines); size >= batchBytes || i == len(s.suspects)-1 {
			s.match(withBareLines(strings.Join(s.suspects[first:i+1], match.LineEnd)))
			first, size = i+1, 0
		}
	}
}

// match adds the lines that some pattern matches.
func (s *scan) match(lines string) {
	if len(lines) >= longText {
		s.matchLong(lines)
		return
	}
	whole := wholeLines(lines)
	lower := lowerCase(whole)
	for _, f := range s.patterns.filters {
		for i := f.next(lower, 0); i >= 0; i = f.next(lower, i+1) {
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
				eachLine(whole, m.marked(lower), mark, try)
			}
		}
	}
}

// matchLong is matchSuspects for many lines: it tries each pattern on all of them at once.
func (s *scan) matchLong(lines string) {
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
			if _, isUsed := s.patterns.places[m.matcher]; !isOut && isUsed && !s.isTooMuch() {
				s.matchAt(p, m, whole)
			}
		}
	}
}

// matchAt adds the lines of a text that a pattern matches.
func (s *scan) matchAt(p *placesOf, m *member, whole string) {
	p.isMore = false
	found := before(p, programOf(m))
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
		return !s.isTooMuch()
	})
}
