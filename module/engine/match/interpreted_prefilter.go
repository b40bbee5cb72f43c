package match

import "strings"

// InterpretedPrefilter is a Prefilter for interpreted programs. Each step is one call of strings.Replacer, which is
// compiled and searches for all its literals at once. It finds the same patterns, for several texts in one pass, and one
// pattern at a time: a caller that needs no more of them does not pay for them.
type InterpretedPrefilter struct {
	matchers []*Matcher
	isBlind  bool // a pattern requires no literal: every text may match
	hasPlus  bool // a literal has a plus
	marked   func(text string) string
	groups   []group
}

// LineEnd separates texts. It occurs in none.
const LineEnd = "\n"

// group holds groupSize consecutive patterns, so that most patterns are not scanned for separately. The functions put a
// mark in the place of each literal in a text. They are function values, because a method call costs an interpreter
// about twice as much.
type group struct {
	isBlind bool
	marked  func(text string) string // marks the literals of all members
	members []func(text string) string
}

const groupSize = 8

// NewInterpretedPrefilter makes the prefilter of the patterns of matchers.
func NewInterpretedPrefilter(matchers []*Matcher) *InterpretedPrefilter {
	return newInterpretedPrefilter(matchers, func(m *Matcher) []string { return m.literals })
}

// NewProsePrefilter makes the prefilter for values of bodies.
func NewProsePrefilter(matchers []*Matcher) *InterpretedPrefilter {
	return newInterpretedPrefilter(matchers, func(m *Matcher) []string { return m.inProse })
}

func newInterpretedPrefilter(matchers []*Matcher, literalsOf func(m *Matcher) []string) *InterpretedPrefilter {
	s := &InterpretedPrefilter{matchers: matchers}
	var all []string
	for first := 0; first < len(matchers); first += groupSize {
		g := group{}
		var literals []string
		for i := first; i < len(matchers) && i < first+groupSize; i++ {
			required := literalsOf(matchers[i])
			g.isBlind = g.isBlind || required == nil
			g.members = append(g.members, marker(required))
			literals = append(literals, required...)
		}
		g.marked = marker(literals)
		s.isBlind = s.isBlind || g.isBlind
		s.groups = append(s.groups, g)
		all = append(all, literals...)
	}
	s.marked = marker(all)
	s.hasPlus = strings.Contains(strings.Join(all, ""), "+")
	return s
}

// Mark is in the place of a literal. It occurs in no text.
const Mark = "\x01"

// marker returns a function that replaces literals in a text by marks, and keeps the line ends of their ends. Without
// literals it marks the line ends, which every text has, so that every text may match. It always returns a compiled
// function: the interpreter panics where a declared one is returned.
func marker(literals []string) func(text string) string {
	if len(literals) == 0 {
		literals = []string{LineEnd}
	}
	pairs := make([]string, 0, 2*len(literals))
	for _, literal := range literals {
		literal = lineEnds.Replace(literal)
		to := Mark
		if strings.HasPrefix(literal, LineEnd) {
			to = LineEnd + Mark
		}
		if len(literal) > 1 && strings.HasSuffix(literal, LineEnd) {
			to += LineEnd
		}
		pairs = append(pairs, literal, to)
	}
	return strings.NewReplacer(pairs...).Replace
}

// lineEnds replaces the ends of a text by those of a line.
var lineEnds = strings.NewReplacer(textStart, LineEnd, textEnd, LineEnd)

// lowerCase is strings.ToLower for ASCII, in half the time.
var lowerCase = strings.NewReplacer(lowerPairs()...).Replace

func lowerPairs() []string {
	var pairs []string
	for c := 'A'; c <= 'Z'; c++ {
		pairs = append(pairs, string(c), strings.ToLower(string(c)))
	}
	return pairs
}

// Whole prepares texts with LineEnd between them for Next. It returns "" when no pattern may match one of them.
func (s *InterpretedPrefilter) Whole(lines string) string {
	whole := wholeText(lines)
	if s.isBlind || has(s.marked, whole) {
		return whole
	}
	return ""
}

func wholeText(lines string) string { return LineEnd + lowerCase(lines) + LineEnd }

// fewBytes are searched first: most texts that have a literal have one in their first bytes.
const fewBytes = 4096

// has reports whether a text has a literal that marked marks.
func has(marked func(text string) string, text string) bool {
	if len(text) > fewBytes && marked(text[:fewBytes]) != text[:fewBytes] {
		return true
	}
	return marked(text) != text
}

// Next returns the first pattern from i on that may match one of the texts of whole, or -1. i is 0 or follows a pattern
// that Next returned. A long text is only searched for the literals of groups, because the steps of a pattern cost about as
// much as a search for its literals.
func (s *InterpretedPrefilter) Next(whole string, i int) int {
	for g := i / groupSize; g < len(s.groups); g++ {
		members, k := s.groups[g].members, i%groupSize
		if k == 0 && !s.groups[g].isBlind && !has(s.groups[g].marked, whole) {
			continue
		}
		for ; k < len(members); k++ {
			if len(whole) >= longText || members[k](whole) != whole {
				return g*groupSize + k
			}
		}
		i = 0
	}
	return -1
}
