package match

import "strings"

// InterpretedPrefilter is a Prefilter for interpreted programs. Each step is one call of strings.Replacer, which is
// compiled and searches for all its literals at once. It finds the same patterns, for several texts in one pass, and one
// pattern at a time: a caller that needs no more of them does not pay for them.
type InterpretedPrefilter struct {
	isBlind bool // a pattern requires no literal: every text may match
	without func(text string) string
	groups  []group
}

// LineEnd separates texts. It occurs in none.
const LineEnd = "\n"

// group holds groupSize consecutive patterns, so that most patterns are not scanned for separately. The functions remove
// literals from a text. They are function values, because a method call costs an interpreter about twice as much.
type group struct {
	isBlind bool
	without func(text string) string // removes the literals of all members
	members []func(text string) string
}

const groupSize = 8

// NewInterpretedPrefilter makes the prefilter of the patterns of matchers.
func NewInterpretedPrefilter(matchers []*Matcher) *InterpretedPrefilter {
	s := &InterpretedPrefilter{}
	var all []string
	for first := 0; first < len(matchers); first += groupSize {
		g := group{}
		var literals []string
		for i := first; i < len(matchers) && i < first+groupSize; i++ {
			m := matchers[i]
			g.isBlind = g.isBlind || m.literals == nil
			g.members = append(g.members, remover(m.literals))
			literals = append(literals, m.literals...)
		}
		g.without = remover(literals)
		s.isBlind = s.isBlind || g.isBlind
		s.groups = append(s.groups, g)
		all = append(all, literals...)
	}
	s.without = remover(all)
	return s
}

// remover returns a function that removes literals from a text. Without literals it removes the line ends, which every text
// has, so that every text may match. It always returns a compiled function: the interpreter panics where a declared one is
// returned.
func remover(literals []string) func(text string) string {
	if len(literals) == 0 {
		literals = []string{LineEnd}
	}
	pairs := make([]string, 0, 2*len(literals))
	for _, literal := range literals {
		pairs = append(pairs, lineEnds.Replace(literal), "")
	}
	return strings.NewReplacer(pairs...).Replace
}

// lineEnds replaces the ends of a text by those of a line.
var lineEnds = strings.NewReplacer(textStart, LineEnd, textEnd, LineEnd)

// Whole prepares texts with LineEnd between them for Next. It returns "" when no pattern may match one of them.
func (s *InterpretedPrefilter) Whole(lines string) string {
	whole := LineEnd + strings.ToLower(lines) + LineEnd
	if s.isBlind || s.without(whole) != whole {
		return whole
	}
	return ""
}

// Next returns the first pattern from i on that may match one of the texts of whole, or -1. i is 0 or follows a pattern
// that Next returned.
func (s *InterpretedPrefilter) Next(whole string, i int) int {
	for g := i / groupSize; g < len(s.groups); g++ {
		members, k := s.groups[g].members, i%groupSize
		if k == 0 && !s.groups[g].isBlind && s.groups[g].without(whole) == whole {
			continue
		}
		for ; k < len(members); k++ {
			if members[k](whole) != whole {
				return g*groupSize + k
			}
		}
		i = 0
	}
	return -1
}
