package match

import "strings"

// InterpretedPrefilter is a Prefilter for interpreted programs. Each step is one call of strings.Replacer, which is
// compiled and searches for all its literals at once. It finds the same patterns, and can scan several texts in one
// pass.
type InterpretedPrefilter struct {
	always Set
	all    finder
	groups []group
}

// LineEnd separates texts. It occurs in none.
const LineEnd = "\n"

// group scans for several patterns at once, so that most patterns are not scanned for separately.
type group struct {
	finder  finder
	members []member
}

type member struct {
	finder  finder
	pattern int
}

const groupSize = 8

// NewInterpretedPrefilter makes the prefilter of the patterns of matchers.
func NewInterpretedPrefilter(matchers []*Matcher) *InterpretedPrefilter {
	s := &InterpretedPrefilter{always: NewSet(len(matchers))}
	var members []member
	var all, literals []string
	for i, m := range matchers {
		if m.literals == nil {
			s.always.Add(i)
			continue
		}
		members = append(members, member{newFinder(m.literals), i})
		literals = append(literals, m.literals...)
		all = append(all, m.literals...)
		if len(members) == groupSize {
			s.groups = append(s.groups, group{newFinder(literals), members})
			members = nil // two statements: the interpreter of Traefik cannot assign two nils at once
			literals = nil
		}
	}
	if members != nil {
		s.groups = append(s.groups, group{newFinder(literals), members})
	}
	s.all = newFinder(all)
	return s
}

// finder returns a shorter text where the text holds a literal.
type finder struct{ replacer *strings.Replacer }

func newFinder(literals []string) finder {
	var pairs []string
	for _, literal := range literals {
		pairs = append(pairs, lineEnds.Replace(literal), "")
	}
	return finder{strings.NewReplacer(pairs...)}
}

// lineEnds replaces the ends of a text by those of a line.
var lineEnds = strings.NewReplacer(textStart, LineEnd, textEnd, LineEnd)

func (f finder) finds(text string) bool { return len(f.replacer.Replace(text)) < len(text) }

// Scan fills the set, made for the number of patterns of the prefilter, with those that may match the text, which is
// printable ASCII. It returns false when there are none.
func (s *InterpretedPrefilter) Scan(text []byte, suspects Set) bool {
	return s.ScanLines(string(text), suspects)
}

// ScanLines is Scan for texts with LineEnd between them. The set holds every pattern that may match one of them.
func (s *InterpretedPrefilter) ScanLines(lines string, suspects Set) bool {
	copy(suspects, s.always)
	whole := LineEnd + strings.ToLower(lines) + LineEnd
	if !s.all.finds(whole) {
		return suspects.Next(0) >= 0
	}
	for _, g := range s.groups {
		if !g.finder.finds(whole) {
			continue
		}
		for _, m := range g.members {
			if m.finder.finds(whole) {
				suspects.Add(m.pattern)
			}
		}
	}
	return suspects.Next(0) >= 0
}
