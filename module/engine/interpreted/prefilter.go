package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
)

// prefilter finds the patterns that may match one of several lines: those with a required literal in a line, and those that require
// none. Each step is one call of strings.Replacer, which is compiled and searches for all its literals at once. The functions put a
// mark in the place of the first byte of each literal. They are function values, because a method call costs an interpreter about
// twice as much.
type prefilter struct {
	patterns []*match.Matcher
	isBlind  bool // a pattern requires no literal: every line may match
	marked   func(text string) string
	groups   []group
}

// group holds groupSize consecutive patterns, so that most patterns are not searched for separately.
type group struct {
	isBlind bool
	marked  func(text string) string   // marks the literals of all members
	members []func(text string) string // nil: it requires none
}

const groupSize = 8

// What servers ignore behind a literal at the end of a line: slashes at the end of a value, and the path info behind a name in a path.
var (
	afterValues = []string{"/" + match.LineEnd, "//"}
	afterNames  = []string{"/"}
)

func newPrefilter(patterns []*match.Matcher, ignored []string, literalsOf func(m *match.Matcher) []string) *prefilter {
	f := &prefilter{patterns: patterns}
	var all []string
	for first := 0; first < len(patterns); first += groupSize {
		g := group{}
		var literals []string
		for i := first; i < len(patterns) && i < first+groupSize; i++ {
			required := literalsOf(patterns[i])
			member := marking(required, ignored)
			g.isBlind = g.isBlind || member == nil
			g.members = append(g.members, member)
			literals = append(literals, required...)
		}
		g.marked = marking(literals, ignored)
		f.isBlind = f.isBlind || g.isBlind
		f.groups = append(f.groups, g)
		all = append(all, literals...)
	}
	f.marked = marking(all, ignored)
	if len(patterns) == 0 {
		f.marked = strings.NewReplacer().Replace
	}
	return f
}

// mark is in the place of the first byte of a literal. It occurs in no line.
const mark = "\x01"

// marking returns a function that marks literals; nil: every line may hold one. A literal at the end of a line is also one before what
// servers ignore. It returns a compiled function: the interpreter panics where a declared one is returned.
func marking(literals, ignored []string) func(text string) string {
	var pairs []string
	for _, literal := range literals {
		literal = lineEnds.Replace(literal)
		at := len(literal) - len(strings.TrimLeft(literal, match.LineEnd))
		if at == len(literal) {
			return nil // an empty line
		}
		to := literal[:at] + mark + literal[at+1:]
		pairs = append(pairs, literal, to)
		for i := 0; i < len(ignored) && strings.HasSuffix(literal, match.LineEnd); i++ {
			pairs = append(pairs, literal[:len(literal)-1]+ignored[i], to[:len(to)-1]+ignored[i])
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return strings.NewReplacer(pairs...).Replace
}

// lineEnds replaces the ends of a text by those of a line.
var lineEnds = strings.NewReplacer(match.TextStart, match.LineEnd, match.TextEnd, match.LineEnd)

// lowerCase is strings.ToLower for ASCII, in half the time.
var lowerCase = strings.NewReplacer(lowerPairs()...).Replace

func lowerPairs() []string {
	var pairs []string
	for c := 'A'; c <= 'Z'; c++ {
		pairs = append(pairs, string(c), strings.ToLower(string(c)))
	}
	return pairs
}

// suspects returns the patterns that may match one of some lines.
func (f *prefilter) suspects(lines string) match.Set {
	found := match.NewSet(len(f.patterns))
	whole := match.LineEnd + lowerCase(lines) + match.LineEnd
	if !f.isBlind && f.marked(whole) == whole {
		return found
	}
	for i := f.next(whole, 0); i >= 0; i = f.next(whole, i+1) {
		found.Add(i)
	}
	return found
}

// next returns the first pattern from i on that may match one of the lines of whole, or -1.
func (f *prefilter) next(whole string, i int) int {
	for g := i / groupSize; g < len(f.groups); g++ {
		members, k := f.groups[g].members, i%groupSize
		if k == 0 && !f.groups[g].isBlind && f.groups[g].marked(whole) == whole {
			i = 0
			continue
		}
		for ; k < len(members); k++ {
			if members[k] == nil || members[k](whole) != whole {
				return g*groupSize + k
			}
		}
		i = 0
	}
	return -1
}
