package match

import "strings"

// Sieve is a Scanner for interpreted programs: each step is one call of strings.Replacer, which searches for all its
// literals at once and is compiled. It finds the same patterns.
type Sieve struct {
	always Set
	groups []strand
}

// strand finds out about some patterns together.
type strand struct {
	replacer *strings.Replacer
	members  []strand // nil: one pattern
	pattern  int
}

const groupSize = 8

// NewSieve makes a sieve of the patterns of matchers.
func NewSieve(matchers []*Matcher) *Sieve {
	s := &Sieve{always: NewSet(len(matchers))}
	var group []strand
	var literals []string
	for i, m := range matchers {
		if m.literals == nil {
			s.always.Add(i)
			continue
		}
		group = append(group, strand{replacer: finder(m.literals), pattern: i})
		literals = append(literals, m.literals...)
		if len(group) == groupSize {
			s.groups = append(s.groups, strand{replacer: finder(literals), members: group})
			group, literals = nil, nil
		}
	}
	if group != nil {
		s.groups = append(s.groups, strand{replacer: finder(literals), members: group})
	}
	return s
}

// finder makes a text shorter that holds one of the literals.
func finder(literals []string) *strings.Replacer {
	var pairs []string
	for _, literal := range minimal(append([]string(nil), literals...)) {
		pairs = append(pairs, literal, "")
	}
	return strings.NewReplacer(pairs...)
}

func (s *strand) finds(text string) bool { return len(s.replacer.Replace(text)) < len(text) }

// Scan fills the set, made for as many patterns as the sieve has, with those that may match the text, which is printable
// ASCII; false: there are none.
func (s *Sieve) Scan(text []byte, suspects Set) bool {
	copy(suspects, s.always)
	whole := textStart + strings.ToLower(string(text)) + textEnd
	for i := range s.groups {
		if group := &s.groups[i]; group.finds(whole) {
			for k := range group.members {
				if member := &group.members[k]; member.finds(whole) {
					suspects.Add(member.pattern)
				}
			}
		}
	}
	return suspects.Next(0) >= 0
}
