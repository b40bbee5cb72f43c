package interpreted

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/request-guard/guard/engine/match"
)

// prefilter finds the patterns that may match a line of a text. A compiled strings.Replacer marks the first byte of each
// literal. The fields are functions, because an interpreter takes about twice as long to call a method.
type prefilter struct {
	isBlind bool                     // a pattern may match every line
	marked  func(text string) string // marks the literals of all patterns
	members []*member
	groups  []group
}

type member struct {
	matcher   *match.Matcher
	marked    func(text string) string // marks the literals of the pattern; nil: the pattern may match every line
	onceLines sync.Once
	lines     *regexp.Regexp // matches a text if the pattern matches a line of it; nil: not compiled, or wholeTextConstruct matches
	once      sync.Once
	program   *program
}

// group has up to groupSize consecutive patterns. If none of their literals occurs, one search excludes all of them.
type group struct {
	isBlind bool                       // a member may match every line
	marked  func(text string) string   // marks the literals of all members
	members []func(text string) string // member.marked of each member
}

const groupSize = 8

// Texts that may follow a literal in place of the end of a line, because servers ignore final slashes of a value and
// the path info of a path.
var (
	ignoredAfterValues = []string{"/" + match.LineEnd, "//"}
	ignoredAfterNames  = []string{"/"}
)

func newPrefilter(patterns []*match.Matcher, ignored []string, literalsOf func(m *match.Matcher) []string) *prefilter {
	f := &prefilter{}
	var all []string
	for first := 0; first < len(patterns); first += groupSize {
		g := group{}
		var literals []string
		for i := first; i < len(patterns) && i < first+groupSize; i++ {
			required := literalsOf(patterns[i])
			m := &member{matcher: patterns[i], marked: markerOf(required, ignored)}
			g.isBlind = g.isBlind || m.marked == nil
			g.members = append(g.members, m.marked)
			f.members = append(f.members, m)
			literals = append(literals, required...)
		}
		g.marked = markerOf(literals, ignored)
		f.isBlind = f.isBlind || g.isBlind
		f.groups = append(f.groups, g)
		all = append(all, literals...)
	}
	f.marked = markerOf(all, ignored)
	return f
}

// literalMark replaces the first byte of a literal. No line contains this byte.
const literalMark = "\x01"

// markerOf returns a function that marks literals. It returns nil if there are no literals, or if every line has one.
// The result is a method of a compiled type, because the interpreter panics if a function returns a declared function.
func markerOf(literals, ignored []string) func(text string) string {
	var pairs []string
	for _, literal := range literals {
		literal = lineEnds.Replace(literal)
		at := len(literal) - len(strings.TrimLeft(literal, match.LineEnd))
		if at == len(literal) {
			return nil // the literal of an empty line
		}
		to := literal[:at] + literalMark + literal[at+1:]
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

// lineEnds replaces the marks of the start and the end of a text by the end of a line.
var lineEnds = strings.NewReplacer(match.TextStart, match.LineEnd, match.TextEnd, match.LineEnd)

// nextSuspect returns the index of the first member from i on that may match one of the lines of whole, or -1.
func (f *prefilter) nextSuspect(whole string, i int) int {
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

// wholeTextConstruct matches constructs that have no equivalent for a line: \A, \z, and flags that are switched off.
var wholeTextConstruct = regexp.MustCompile(`\\[Az]|\(\?[a-z]*-`)

// mayMatch reports whether a pattern may match a line of a text. It returns true where wholeTextConstruct matches the pattern.
func mayMatch(m *member, lines string) bool {
	m.onceLines.Do(func() {
		if source := m.matcher.Source(); !wholeTextConstruct.MatchString(source) {
			m.lines = regexp.MustCompile("(?m:" + source + ")")
		}
	})
	return m.lines == nil || m.lines.MatchString(lines)
}

// programOf makes the program at the first call, because most members never need one.
func programOf(m *member) *program {
	m.once.Do(func() {
		tree, err := syntax.Parse(m.matcher.Source(), syntax.Perl)
		if err != nil {
			panic(err) // package policy has parsed it before
		}
		m.program = newProgram(tree.Simplify())
	})
	return m.program
}
