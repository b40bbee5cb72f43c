package match

import "strings"

// Sieve is a Scanner for interpreted programs: each step is one call of strings.Replacer, which searches for all its
// literals at once and is compiled. It finds the same patterns.
type Sieve struct {
	always Set
	groups []group
}

// group asks about some patterns together, so that most of them are not asked about one by one.
type group struct {
	finder  finder
	members []member
}

type member struct {
	finder  finder
	pattern int
}

const groupSize = 8

// NewSieve makes a sieve of the patterns of matchers.
func NewSieve(matchers []*Matcher) *Sieve {
	s := &Sieve{always: NewSet(len(matchers))}
	var members []member
	var literals []string
	for i, m := range matchers {
		if m.literals == nil {
			s.always.Add(i)
			continue
		}
		members = append(members, member{newFinder(m.literals), i})
		literals = append(literals, m.literals...)
		if len(members) == groupSize {
			s.groups = append(s.groups, group{newFinder(literals), members})
			members = nil // one by one: the interpreter of Traefik cannot assign two nils at once
			literals = nil
		}
	}
	if members != nil {
		s.groups = append(s.groups, group{newFinder(literals), members})
	}
	return s
}

// finder makes a text shorter that holds a literal.
type finder struct{ replacer *strings.Replacer }

func newFinder(literals []string) finder {
	var pairs []string
	for _, literal := range minimal(append([]string(nil), literals...)) {
		pairs = append(pairs, literal, "")
	}
	return finder{strings.NewReplacer(pairs...)}
}

func (f finder) finds(text string) bool { return len(f.replacer.Replace(text)) < len(text) }

// Scan fills the set, made for as many patterns as the sieve has, with those that may match the text, which is printable
// ASCII; false: there are none.
func (s *Sieve) Scan(text []byte, suspects Set) bool {
	copy(suspects, s.always)
	whole := textStart + strings.ToLower(string(text)) + textEnd
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
