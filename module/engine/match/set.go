package match

import "math/bits"

// Set is a set of patterns, or of states of an automaton, by index.
type Set []uint64

func (s Set) Add(i int) { s[i>>6] |= bit(i) }

func (s Set) Has(i int) bool { return s[i>>6]&bit(i) != 0 }

// Next returns the first index in the set from i on, or -1.
func (s Set) Next(i int) int {
	for w := i >> 6; w < len(s); w++ {
		word := s[w]
		if w == i>>6 {
			word &= -bit(i) // keeps the bits from i on
		}
		if word != 0 {
			return w<<6 + bits.TrailingZeros64(word)
		}
	}
	return -1
}

func (s Set) AddAll(other Set) {
	for i, word := range other {
		s[i] |= word
	}
}

// NewSet makes an empty set for patterns from 0 to n-1.
func NewSet(n int) Set { return make(Set, (n+63)>>6) }

// WithSize returns a set for patterns from 0 to n-1, in the memory of s if that is large enough. Its content is undefined.
func (s Set) WithSize(n int) Set {
	if words := (n + 63) >> 6; words <= cap(s) {
		return s[:words]
	}
	return NewSet(n)
}

func bit(i int) uint64 { return uint64(1) << (uint(i) & 63) }
