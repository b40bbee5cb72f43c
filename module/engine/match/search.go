package match

import "strings"

// Between separates lines that each have both of their ends.
const (
	Between      = "\x00"
	wholeEnds    = LineEnd + Between + LineEnd
	mostSelected = 256 // literals of which the lines are selected one by one
	manyMarks    = 64  // of the first bytes: benign text has fewer than ten
	fewestLines  = 8   // from which one search of all lines is cheaper than one of each
	mostMatched  = 2048
)

// LineSearch searches texts of lines for those that a pattern matches, each line once. It is for interpreted programs:
// most lines are seen by the standard library only.
type LineSearch struct {
	patterns *InterpretedPrefilter
	seen     map[string]bool
	suspects []string
	size     int // bytes of the suspects
}

// NewLineSearch makes a search without lines.
func NewLineSearch(patterns *InterpretedPrefilter) *LineSearch {
	return &LineSearch{patterns: patterns, seen: map[string]bool{}}
}

// Add adds lines, which LineEnd separates. It returns the bytes of all lines that a pattern may match.
func (s *LineSearch) Add(lines string) int {
	whole := LineEnd + strings.ReplaceAll(lines, LineEnd, wholeEnds) + LineEnd
	if !s.patterns.isBlind {
		whole = s.suspectsOf(whole)
	}
	for _, line := range strings.Split(whole, Between) {
		if line != "" && !s.seen[line] {
			s.seen[line] = true
			s.suspects = append(s.suspects, line)
			s.size += len(line)
		}
	}
	return s.size
}

// suspectsOf returns the lines that have a literal of a pattern, or all lines where the first of them have many.
func (s *LineSearch) suspectsOf(whole string) string {
	if len(whole) > fewBytes && strings.Count(s.patterns.marked(lowerCase(whole[:fewBytes])), Mark) > manyMarks {
		return whole
	}
	return hits(s.patterns.marked, whole, lowerCase(whole))
}

// IsClearWithPluses reports whether none of the lines has a literal, and none would have one with a plus in the place of a space.
func (s *LineSearch) IsClearWithPluses() bool { return s.size == 0 && !s.patterns.hasPlus }

// Matched returns the lines that some pattern matches; nil: there are too many.
func (s *LineSearch) Matched() map[string]bool {
	all := strings.Join(s.suspects, Between)
	found := map[string]bool{} // in a separate statement: otherwise, in Traefik's interpreter, all is empty
	if text := strings.ReplaceAll(all, wholeEnds, LineEnd); len(text) >= longText+len(wholeEnds) {
		return s.matchedOfLong(text[len(LineEnd):len(text)-len(LineEnd)], found)
	}
	lower := lowerCase(all)
	for g := 0; all != "" && g < len(s.patterns.groups); g++ {
		some := all
		if !s.patterns.groups[g].isBlind {
			some = hits(s.patterns.groups[g].marked, all, lower)
		}
		lower := lowerCase(some)
		for k := 0; some != "" && k < len(s.patterns.groups[g].members); k++ {
			if few := hits(s.patterns.groups[g].members[k], some, lower); few != "" {
				addMatched(found, s.patterns.matchers[g*groupSize+k], few)
			}
		}
	}
	return found
}

// matchedOfLong searches a text for few literals, because the steps of a pattern cost about as much.
func (s *LineSearch) matchedOfLong(text string, found map[string]bool) map[string]bool {
	lines, whole := NewLines(text), wholeText(text)
	for i := s.patterns.Next(whole, 0); i >= 0; i = s.patterns.Next(whole, i+1) {
		lines.each(s.patterns.matchers[i], func(_ int, line string) bool {
			found[line] = true
			return len(found) <= mostMatched
		})
		if len(found) > mostMatched {
			return nil
		}
	}
	return found
}

// hits returns the lines that have a literal, which marked marks in their lower case, or all lines where there are many
// literals; "": none has one.
func hits(marked func(text string) string, whole, lower string) string {
	found := marked(lower)
	count := strings.Count(found, Mark)
	switch {
	case count == 0:
		return ""
	case count > mostSelected:
		return whole
	}
	return strings.Join(Selected(strings.Split(whole, Between), onlyMarks(found+Between)), Between)
}

// addMatched adds the lines that a pattern matches.
func addMatched(found map[string]bool, m *Matcher, whole string) {
	lines := strings.Split(whole, Between)
	if len(lines) >= fewestLines && !m.mayMatchLine(whole) {
		return
	}
	for _, line := range lines {
		if line = strings.Trim(line, LineEnd); m.Match([]byte(line)) {
			found[line] = true
		}
	}
}
