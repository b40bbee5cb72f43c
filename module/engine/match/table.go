package match

import (
	"math/bits"
	"regexp/syntax"
)

// table is an automaton with a row for each state, and an entry for each class of bytes. A state is the index of its row's first entry.
type table struct {
	class    [256]uint8
	width    int
	next     []uint16
	start    uint16
	ends     []bool // for each row: a text that ends in this state matches
	backward bool   // match reads the text from its end to its start
}

const (
	deadRow     = 0 // nothing can match any more
	acceptedRow = 1 // the text matches, whatever follows
)

const maxEntries = 1 << 16 // 128 KB for each table: states have 16 bits, and the rows that are used stay in the processor's cache

func (t *table) match(text []byte) bool {
	if t.backward {
		return t.matchBackward(text)
	}
	class, next, state, last := &t.class, t.next, t.start, uint16(acceptedRow*t.width)
	for _, c := range text {
		if state <= last {
			break
		}
		state = next[state+uint16(class[c])]
	}
	return t.ends[int(state)/t.width]
}

func (t *table) matchBackward(text []byte) bool {
	class, next, state, last := &t.class, t.next, t.start, uint16(acceptedRow*t.width)
	for i := len(text) - 1; i >= 0 && state > last; i-- {
		state = next[state+uint16(class[text[i]])]
	}
	return t.ends[int(state)/t.width]
}

// place returns the offset at which match decides that a text matches: the end of a match, or the start if backward is set.
func (t *table) place(text []byte) int {
	state, last, i := t.start, uint16(acceptedRow*t.width), 0
	for ; i < len(text) && state > last; i++ {
		at := i
		if t.backward {
			at = len(text) - 1 - i
		}
		state = t.next[state+uint16(t.class[text[at]])]
	}
	if t.backward {
		return len(text) - i
	}
	return i
}

// TableBudget bounds the tables of all patterns of a policy together, without those of built-in rules. nil: no bound.
type TableBudget struct{ entries, steps int }

// NewTableBudget makes a budget of table entries (two bytes each) and of steps over sets of states (one or two nanoseconds each).
func NewTableBudget(entries, steps int) *TableBudget { return &TableBudget{entries, steps} }

// reserve subtracts entries from the budget. It returns false if fewer are left.
func (b *TableBudget) reserve(entries int) bool {
	if b == nil {
		return true
	}
	if b.entries < entries {
		return false
	}
	b.entries -= entries
	return true
}

// spend subtracts steps that were already made from the budget. It returns false if they exceed it.
func (b *TableBudget) spend(steps int) bool {
	if b == nil {
		return true
	}
	b.steps -= steps
	return b.steps >= 0
}

// newTable makes the table of a tree. It returns nil if the tree has word boundaries, the table would be too large, or the
// budget is used up.
func (b *TableBudget) newTable(tree *syntax.Regexp, backward bool) *table {
	if backward {
		tree = reversedTree(tree)
	}
	n := b.newNFA(tree)
	if n == nil {
		return nil
	}
	t := &table{backward: backward}
	m := &tableMaker{nfa: n, table: t, accepting: t.classifyBytes(n), rows: map[string]uint16{}, budget: b, next: n.newStates()}
	if !m.makeRows() {
		return nil
	}
	return t
}

// classifyBytes gives bytes that no state distinguishes the same class. It returns the states that accept each class.
func (t *table) classifyBytes(n *nfa) (accepting []Set) {
	classes := map[string]uint8{}
	for i := 0; i < alphabet; i++ {
		column := n.newStates()
		for state, waits := range n.waits {
			if waits[i] {
				column.Add(state)
			}
		}
		class, isKnown := classes[column.key()]
		if !isKnown {
			class = uint8(len(accepting))
			classes[column.key()] = class
			accepting = append(accepting, column)
		}
		t.class[firstByte+i] = class
	}
	t.width = len(accepting)
	return accepting
}

// tableMaker builds the rows of a table. Each row is a set of states of the automaton.
type tableMaker struct {
	nfa       *nfa
	table     *table
	accepting []Set             // for each class: the states that accept it
	rows      map[string]uint16 // the number of a row by the key of its set
	sets      []Set             // the set that each row represents
	budget    *TableBudget
	next      Set    // last result of statesAfter
	steps     int    // steps of the last call of statesAfter over sets, for budget.spend
	key       []byte // buffer of rowOf
}

// makeRows builds all rows. It returns false if the table would be too large or the budget is used up.
func (m *tableMaker) makeRows() bool {
	nothing := m.nfa.newStates()
	m.rows[nothing.key()] = deadRow
	m.sets = []Set{nothing, nil}
	m.table.ends = []bool{false, true}
	m.table.next = make([]uint16, len(m.sets)*m.table.width)
	var ok bool
	if m.table.start, ok = m.rowOf(m.nfa.start); !ok {
		return false
	}
	for row := acceptedRow + 1; row < len(m.sets); row++ {
		for _, accepting := range m.accepting {
			state, ok := m.rowOf(m.statesAfter(m.sets[row], accepting))
			if !ok || !m.budget.spend(m.steps) {
				return false
			}
			m.table.next = append(m.table.next, state)
		}
	}
	return true
}

// statesAfter returns the states after a byte, from the states before it and the states that accept its class. The next
// call overwrites the result.
func (m *tableMaker) statesAfter(from, accepting Set) Set {
	copy(m.next, m.nfa.restart)
	m.steps = 2 * len(from)
	for i, word := range from {
		for left := word & accepting[i]; left != 0; left &= left - 1 {
			m.next.AddAll(m.nfa.follow[i<<6+bits.TrailingZeros64(left)])
			m.steps += len(from)
		}
	}
	return m.next
}

// rowOf finds or adds the row of a set. It returns false if the table would be too large or the budget is used up.
func (m *tableMaker) rowOf(set Set) (state uint16, ok bool) {
	width := m.table.width
	if set.Has(m.nfa.matched) {
		return uint16(acceptedRow * width), true
	}
	m.key = set.appendKey(m.key[:0])
	if state, ok := m.rows[string(m.key)]; ok {
		return state, true
	}
	if (len(m.sets)+1)*width > maxEntries || !m.budget.reserve(width) {
		return 0, false
	}
	state = uint16(len(m.sets) * width)
	m.rows[string(m.key)] = state
	m.sets = append(m.sets, append(Set(nil), set...))
	m.table.ends = append(m.table.ends, set.Has(m.nfa.matchedEnds))
	return state, true
}
