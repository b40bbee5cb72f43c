package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
)

const (
	mostMatches = 2048    // matches of patterns with lines of a long text; after more of them the search ends
	manyMarks   = 512     // if a text has more marks, each of its lines is searched
	longText    = 1 << 14 // number of bytes from which a program takes less time than a regexp.Regexp
)

// lineMatches has the lines of a text that a pattern matches.
type lineMatches struct {
	patterns *search
	found    map[string]bool
	count    int // number of matches of a pattern with a line of a long text
}

// matchesIn returns the lines that a pattern matches, also without their final slashes. isComplete is false after more than
// mostMatches in a long text.
func (s *search) matchesIn(lines []string) (found map[string]bool, isComplete bool) {
	m := &lineMatches{patterns: s, found: map[string]bool{}}
	if suspects := s.suspectsIn(lines); len(suspects) > 0 {
		m.search(withBareLines(strings.Join(suspects, match.LineEnd)))
	}
	return m.found, m.count <= mostMatches
}

// search finds the lines that a pattern matches.
func (l *lineMatches) search(lines string) {
	if len(lines) >= longText {
		l.searchLongText(lines)
		return
	}
	suspects := l.patterns.findSuspects(lines, false)
	for _, line := range strings.Split(lines, match.LineEnd) {
		for i := suspects.Next(0); i >= 0 && !l.found[line]; i = suspects.Next(i + 1) {
			if l.patterns.matchers[i].Match([]byte(line)) {
				l.found[line] = true
			}
		}
	}
}

// searchLongText is like search, but tries each pattern on all lines together, which is faster for a long text.
func (l *lineMatches) searchLongText(lines string) {
	whole := match.LineEnd + lines + match.LineEnd
	isOut := false
	lower := lowerCase(whole)
	p := newPlacesOf(whole)
	for _, f := range l.patterns.filters {
		for i, m := range f.members {
			g := f.groups[i/groupSize]
			if i%groupSize == 0 {
				isOut = !g.isBlind && g.marked(lower) == lower
			}
			if _, isUsed := l.patterns.indexes[m.matcher]; !isOut && isUsed && l.count <= mostMatches {
				l.matchPattern(p, m, whole)
			}
		}
	}
}

func (l *lineMatches) matchPattern(p *placesOf, m *member, whole string) {
	p.isMore = false
	found := placesBefore(p, programOf(m))
	if found.Sign() == 0 {
		return
	}
	isMore := p.isMore
	digits := found.Text(2)
	digits = strings.Repeat("0", len(whole)-len(digits)) + digits
	eachLine(whole, digits, "1", func(line string) bool {
		l.count++
		if !isMore || m.matcher.Match([]byte(line)) {
			l.found[line] = true
		}
		return l.count <= mostMatches
	})
}

// suspectsIn returns the lines that contain a literal of a pattern. It returns all lines if a pattern may match every line, or
// if there are more than manyMarks literals.
func (s *search) suspectsIn(lines []string) []string {
	whole := wholeLines(strings.Join(lines, match.LineEnd))
	lower := lowerCase(whole)
	isFound := map[string]bool{}
	var suspects []string
	for _, f := range s.filters {
		marks := ""
		if !f.isBlind {
			marks = f.marked(lower)
		}
		if f.isBlind || strings.Count(marks, literalMark) > manyMarks {
			return lines
		}
		eachLine(whole, marks, literalMark, func(line string) bool {
			if !isFound[line] {
				isFound[line] = true
				suspects = append(suspects, line)
			}
			return true
		})
	}
	return suspects
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
