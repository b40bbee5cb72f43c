// Package match decides which of many patterns match a text of printable ASCII. One pass finds the literals that the
// patterns require. Only patterns with a literal in the text, and patterns that require none, are tried. Most patterns
// are tried as a table with one look-up for each byte, and the others with package regexp.
package match

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"sync"
)

type Matcher struct {
	source   string
	literals []string       // every matching text contains one of these; nil: unknown
	encoded  string         // result of Encode: the first match decodes it to tables; empty: tables is already complete
	tables   []*table       // nil: only slow decides
	exact    bool           // true: only the tables decide; false: slow confirms a match of the tables
	isName   bool           // every match is in the last segment of a path, so slow is applied only to this segment
	once     sync.Once      // sets tables or slow
	slow     *regexp.Regexp // the compiled pattern; nil until it is needed
}

// NewExpression makes a matcher without tables, because tables take too long in interpreted programs. literals is the
// result of RequiredLiterals.
func NewExpression(source string, literals []string) *Matcher {
	return &Matcher{source: source, literals: literals}
}

// NewEncoded makes a matcher with the tables that Encode returned for this pattern. literals is the result of RequiredLiterals.
func NewEncoded(source string, literals []string, encoded string) *Matcher {
	return &Matcher{source: source, literals: literals, encoded: encoded, exact: true}
}

// NewMatcher makes a matcher of a pattern that package pattern accepts, with tables as far as the budget allows.
func NewMatcher(source string, tree *syntax.Regexp, budget *TableBudget) *Matcher {
	m := &Matcher{source: source, literals: RequiredLiterals(tree)}
	m.buildTables(tree, budget)
	return m
}

func (m *Matcher) Literals() []string { return m.literals }

func (m *Matcher) Source() string { return m.source }

// Match reports whether the pattern matches somewhere in a text of printable ASCII.
func (m *Matcher) Match(text []byte) bool {
	m.Prepare()
	for _, t := range m.tables {
		if t.match(text) {
			return m.exact || m.confirm(text)
		}
	}
	return m.tables == nil && m.confirm(text)
}

// Prepare decodes the tables of a matcher from NewEncoded, unless that is done.
func (m *Matcher) Prepare() {
	if m.encoded != "" {
		m.once.Do(m.decode)
	}
}

func (m *Matcher) decode() { m.tables = decodeTables(m.encoded) }

func (m *Matcher) confirm(text []byte) bool {
	return m.expression().Match(m.slowSegment(text))
}

func (m *Matcher) expression() *regexp.Regexp {
	m.once.Do(m.compile)
	return m.slow
}

func (m *Matcher) compile() {
	source := m.source
	if m.isName {
		source = "^(?:" + source + ")"
	}
	m.slow = regexp.MustCompile(source)
}

func (m *Matcher) slowSegment(text []byte) []byte {
	if slash := bytes.LastIndexByte(text, '/'); m.isName && slash > 0 {
		return text[slash:]
	}
	return text
}

// Place returns the offset of the start or the end of a match in a text that matches.
func (m *Matcher) Place(text []byte) int {
	if !m.exact {
		segment := m.slowSegment(text)
		return len(text) - len(segment) + m.expression().FindIndex(segment)[1]
	}
	for _, t := range m.tables {
		if t.match(text) {
			return t.place(text)
		}
	}
	return 0
}

// buildTables makes exact tables or, if that fails, tables of a simpler pattern that matches more texts. If both fail, there
// are none.
func (m *Matcher) buildTables(tree *syntax.Regexp, budget *TableBudget) {
	m.tables = budget.tablesOf(tree)
	m.exact = m.tables != nil
	if m.exact {
		return
	}
	m.tables = budget.tablesOf(relaxedTree(tree))
	m.isName = isName(tree)
	m.expression() // compiles it now, and not during a request
}

// tablesOf returns tables for a tree. The tree matches if one of the tables does. It returns nil if newTable cannot
// make one of them.
func (b *TableBudget) tablesOf(tree *syntax.Regexp) []*table {
	var groups [3][]*syntax.Regexp
	for _, branch := range branches(tree) {
		d := directionOf(branch)
		groups[d] = append(groups[d], branch)
	}
	var tables []*table
	for d, group := range groups {
		if len(group) == 0 {
			continue
		}
		made := b.tablesOfGroup(group, direction(d))
		if made == nil {
			return nil
		}
		tables = append(tables, made...)
	}
	return tables
}

// tablesOfGroup makes one table of all branches, or several if one would be too large.
func (b *TableBudget) tablesOfGroup(group []*syntax.Regexp, d direction) []*table {
	tree := group[0]
	if len(group) > 1 {
		tree = &syntax.Regexp{Op: syntax.OpAlternate, Sub: group}
	}
	if t := b.newTable(tree, d == fromEnd); t != nil {
		return []*table{t}
	}
	if len(group) == 1 {
		return nil
	}
	half := len(group) / 2
	first, second := b.tablesOfGroup(group[:half], d), b.tablesOfGroup(group[half:], d)
	if first == nil || second == nil {
		return nil
	}
	return append(first, second...)
}
