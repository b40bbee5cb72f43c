package interpreted

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/request-guard/guard/engine/match"
)

// prefilter finds the patterns that may match one of several lines: those with a required literal in a line, and those that require
// none. Each step is one call of strings.Replacer, which is compiled and searches for all its literals at once. The functions put a
// mark in the place of the first byte of each literal. They are function values, because a method call costs an interpreter about
// twice as much.
type prefilter struct {
	isBlind bool // a pattern requires no literal: every line may match
	marked  func(text string) string
	members []*member
	groups  []group
}

// member is one of the patterns.
type member struct {
	matcher   *match.Matcher
	marked    func(text string) string // nil: it requires no literal
	onceLines sync.Once
	lines     *regexp.Regexp // matches lines of which the pattern may match one; nil: there is no such expression
	once      sync.Once
	program   *program
}

// group holds groupSize consecutive patterns, so that most patterns are not searched for separately.
type group struct {
	isBlind bool
	marked  func(text string) string   // marks the literals of all members
	members []func(text string) string // those of the members
}

const groupSize = 8

// What servers ignore behind a literal at the end of a line: slashes at the end of a value, and the path info behind a name in a path.
var (
	afterValues = []string{"/" + match.LineEnd, "//"}
	afterNames  = []string{"/"}
)

func newPrefilter(patterns []*match.Matcher, ignored []string, literalsOf func(m *match.Matcher) []string) *prefilter {
	f := &prefilter{}
	var all []string
	for first := 0; first < len(patterns); first += groupSize {
		g := group{}
		var literals []string
		for i := first; i < len(patterns) && i < first+groupSize; i++ {
			required := literalsOf(patterns[i])
			m := &member{matcher: patterns[i], marked: marking(required, ignored)}
			g.isBlind = g.isBlind || m.marked == nil
			g.members = append(g.members, m.marked)
			f.members = append(f.members, m)
			literals = append(literals, required...)
		}
		g.marked = marking(literals, ignored)
		f.isBlind = f.isBlind || g.isBlind
		f.groups = append(f.groups, g)
		all = append(all, literals...)
	}
	f.marked = marking(all, ignored)
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

// next returns the first member from i on that may match one of the lines of whole, or -1.
func (f *prefilter) next(whole string, i int) int {
	for g := i / groupSize; g < len(f.groups); g++ {
		members := f.groups[g].members
		k := i % groupSize
		if i = 0; k == 0 && !f.groups[g].isBlind && f.groups[g].marked(whole) == whole {
			continue
		}
		for ; k < len(members); k++ {
			if members[k] == nil || members[k](whole) != whole {
				return g*groupSize + k
			}
		}
	}
	return -1
}

// ofWholeText finds what means the whole text and cannot mean a line.
var ofWholeText = regexp.MustCompile(`\\[Az]|\(\?[a-z]*-`)

// mayMatch reports whether a pattern may match one of several lines.
func mayMatch(m *member, lines string) bool {
	m.onceLines.Do(func() {
		if source := m.matcher.Source(); !ofWholeText.MatchString(source) {
			m.lines = regexp.MustCompile("(?m:" + source + ")")
		}
	})
	return m.lines == nil || m.lines.MatchString(lines)
}

// programOf returns the program of a member. Most members of most policies need none.
func programOf(m *member) *program {
	m.once.Do(func() {
		tree, err := syntax.Parse(m.matcher.Source(), syntax.Perl)
		if err != nil {
			panic(err) // it was parsed before
		}
		m.program = newProgram(tree.Simplify())
	})
	return m.program
}
