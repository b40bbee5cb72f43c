package match

import "strings"

// between separates lines that each have both of their ends.
const (
	between     = "\x00"
	wholeEnds   = LineEnd + between + LineEnd
	fewestLines = 8  // from which one search of all lines is cheaper than one of each
	lineWork    = 32 // bytes that can be searched in the time that a line takes otherwise
)

// LineSearch searches texts of lines for those that a pattern matches, each line once. It is for interpreted programs:
// most lines are seen by the standard library only.
type LineSearch struct {
	patterns *InterpretedPrefilter
	work     int // bytes that may still be searched
	seen     map[string]bool
}

// NewLineSearch makes a search of at most work bytes.
func NewLineSearch(patterns *InterpretedPrefilter, work int) *LineSearch {
	return &LineSearch{patterns: patterns, work: work, seen: map[string]bool{}}
}

// IsClear reports whether no pattern matches one of the lines, which LineEnd separates. It returns false too where the
// work is spent.
func (s *LineSearch) IsClear(lines string) bool {
	whole := LineEnd + strings.ReplaceAll(lines, LineEnd, wholeEnds) + LineEnd
	if !s.patterns.isBlind {
		whole = s.hits(s.patterns.marked, whole, strings.ToLower(whole))
	}
	all := s.unseen(whole)
	lower := strings.ToLower(all)
	for g := 0; all != "" && g < len(s.patterns.groups) && s.work >= 0; g++ {
		some := all
		if !s.patterns.groups[g].isBlind {
			some = s.hits(s.patterns.groups[g].marked, all, lower)
		}
		lower := strings.ToLower(some)
		for k := 0; some != "" && k < len(s.patterns.groups[g].members) && s.work >= 0; k++ {
			few := s.hits(s.patterns.groups[g].members[k], some, lower)
			if few != "" && s.matches(s.patterns.matchers[g*groupSize+k], few) {
				return false
			}
		}
	}
	return s.work >= 0
}

// hits returns the lines that have a literal, which marked marks in their lower case; "": none has one.
func (s *LineSearch) hits(marked func(text string) string, whole, lower string) string {
	s.work -= len(whole)
	found := marked(lower)
	if !strings.Contains(found, mark) {
		return ""
	}
	all := strings.Split(whole, between)
	var hit []string
	for n, isFound := 0, true; isFound; n++ {
		before, after := "", ""
		if before, after, isFound = strings.Cut(found, mark); !isFound {
			break
		}
		n += strings.Count(before, between)
		hit = append(hit, all[n])
		_, found, isFound = strings.Cut(after, between)
	}
	s.work -= lineWork * len(hit)
	return strings.Join(hit, between)
}

// unseen returns the lines that were not searched before.
func (s *LineSearch) unseen(whole string) string {
	var fresh []string
	for _, line := range strings.Split(whole, between) {
		if !s.seen[line] {
			s.seen[line] = true
			fresh = append(fresh, line)
		}
	}
	return strings.Join(fresh, between)
}

func (s *LineSearch) matches(m *Matcher, whole string) bool {
	s.work -= len(whole)
	lines := strings.Split(whole, between)
	if len(lines) >= fewestLines && !m.MayMatchLine(whole) {
		return false
	}
	for _, line := range lines {
		if m.Match([]byte(strings.Trim(line, LineEnd))) {
			return true
		}
	}
	return false
}
