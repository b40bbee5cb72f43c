package interpreted

import (
	"regexp"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
)

// search has up to two prefilters: one of the built-in rules, which policies share, and one of the other patterns.
type search struct {
	matchers []*match.Matcher
	indexes  map[*match.Matcher]int // index of each matcher
	filters  []*prefilter
}

func newSearch(patterns []*match.Matcher, shared *prefilter, ignored []string, literalsOf func(m *match.Matcher) []string) *search {
	s := &search{matchers: patterns, indexes: map[*match.Matcher]int{}, filters: []*prefilter{shared}}
	for i, m := range patterns {
		s.indexes[m] = i
	}
	isShared := map[*match.Matcher]bool{}
	for _, m := range shared.members {
		isShared[m.matcher] = true
	}
	var custom []*match.Matcher
	hasShared := false
	for _, m := range patterns {
		if isShared[m] {
			hasShared = true
		} else {
			custom = append(custom, m)
		}
	}
	if !hasShared {
		s.filters = nil
	}
	if len(custom) > 0 {
		s.filters = append(s.filters, newPrefilter(custom, ignored, literalsOf))
	}
	return s
}

// findSuspects implements Steps.Suspects of package engine.
func (s *search) findSuspects(lines string, isPath bool) match.Set {
	found := match.NewSet(len(s.indexes))
	whole := match.LineEnd + lowerCase(lines) + match.LineEnd
	all := ""
	for _, f := range s.filters {
		if !f.isBlind && f.marked(whole) == whole {
			continue
		}
		if !isPath && all == "" {
			all = withBareLines(lines)
		}
		for i := f.nextSuspect(whole, 0); i >= 0; i = f.nextSuspect(whole, i+1) {
			m := f.members[i]
			if at, isUsed := s.indexes[m.matcher]; isUsed && (isPath || mayMatch(m, all)) {
				found.Add(at)
			}
		}
	}
	return found
}

var finalSlashes = regexp.MustCompile(`(?m)/+$`)

// withBareLines returns the lines. If one of them has final slashes, all lines without final slashes follow.
func withBareLines(lines string) string {
	if bare := finalSlashes.ReplaceAllLiteralString(lines, ""); bare != lines {
		return lines + match.LineEnd + bare
	}
	return lines
}

// lowerCase is like strings.ToLower, but only for ASCII, and takes half the time.
var lowerCase = engine.LowerText.Replace
