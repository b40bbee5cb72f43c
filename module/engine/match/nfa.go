package match

import (
	"encoding/binary"
	"regexp/syntax"
)

const (
	firstByte = 0x20 // texts are printable ASCII
	lastByte  = 0x7e
	alphabet  = lastByte - firstByte + 1
)

// states is a set of states of an automaton, one bit each.
type states []uint64

func (s states) add(i int)      { s[i>>6] |= bit(i) }
func (s states) has(i int) bool { return s[i>>6]&bit(i) != 0 }

func (s states) addAll(other states) {
	for i, word := range other {
		s[i] |= word
	}
}

// key identifies a set among those of one automaton.
func (s states) key() string {
	b := make([]byte, 0, 8*len(s))
	for _, word := range s {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return string(b)
}

// nfa is a pattern as states that each wait for a byte, and two final ones: matched and matchedEnds.
type nfa struct {
	waits       []*[alphabet]bool // bytes that lead on from each state
	follow      []states          // the states after that byte
	start       states            // states before the first byte
	restart     states            // the states where a match that begins later starts
	matched     int               // the text matches, whatever follows
	matchedEnds int               // the text matches if it ends here
}

// newNFA makes the automaton of a tree. It returns nil for word boundaries, which also depend on the following byte.
func newNFA(tree *syntax.Regexp) *nfa {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil
	}
	n := &nfa{}
	number := make([]int, len(prog.Inst)) // of the states, by instruction
	for pc := range prog.Inst {
		if inst := &prog.Inst[pc]; isRune(inst) {
			number[pc] = len(n.waits)
			n.waits = append(n.waits, acceptedBy(inst))
		} else if inst.Op == syntax.InstEmptyWidth && syntax.EmptyOp(inst.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			return nil
		}
	}
	n.matched = len(n.waits)
	n.matchedEnds = n.matched + 1
	w := &walk{prog: prog, number: number, nfa: n}
	for pc := range prog.Inst {
		if isRune(&prog.Inst[pc]) {
			n.follow = append(n.follow, w.from(prog.Inst[pc].Out, false))
		}
	}
	n.start = w.from(uint32(prog.Start), true)
	n.restart = w.from(uint32(prog.Start), false)
	return n
}

// accepts reports whether any state waits for the byte.
func (n *nfa) accepts(c byte) bool {
	for _, waits := range n.waits {
		if waits[c-firstByte] {
			return true
		}
	}
	return false
}

func (n *nfa) newStates() states { return make(states, (n.matchedEnds>>6)+1) }

func isRune(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

func acceptedBy(inst *syntax.Inst) *[alphabet]bool {
	var accepted [alphabet]bool
	for i := range accepted {
		accepted[i] = inst.MatchRune(rune(firstByte + i))
	}
	return &accepted
}

// walk collects the states that instructions lead to without reading a byte.
type walk struct {
	prog    *syntax.Prog
	number  []int
	nfa     *nfa
	isStart bool      // no byte has been read
	seen    [2][]bool // instructions, before and after an assertion of the end
	reached states
}

func (w *walk) from(pc uint32, isStart bool) states {
	w.isStart = isStart
	w.seen = [2][]bool{make([]bool, len(w.prog.Inst)), make([]bool, len(w.prog.Inst))}
	w.reached = w.nfa.newStates()
	w.visit(pc, 0)
	return w.reached
}

// visit follows an instruction. atEnd is 1 after an assertion of the end, where no further byte can match.
func (w *walk) visit(pc uint32, atEnd int) {
	if w.seen[atEnd][pc] {
		return
	}
	w.seen[atEnd][pc] = true
	inst := &w.prog.Inst[pc]
	switch inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		w.visit(inst.Out, atEnd)
		w.visit(inst.Arg, atEnd)
	case syntax.InstCapture, syntax.InstNop:
		w.visit(inst.Out, atEnd)
	case syntax.InstEmptyWidth:
		w.visitAssertion(inst, atEnd)
	case syntax.InstMatch:
		w.reached.add(w.nfa.matched + atEnd)
	case syntax.InstFail:
	default:
		if atEnd == 0 {
			w.reached.add(w.number[pc])
		}
	}
}

// visitAssertion treats lines as texts: a text of printable ASCII has one line.
func (w *walk) visitAssertion(inst *syntax.Inst, atEnd int) {
	if syntax.EmptyOp(inst.Arg)&(syntax.EmptyEndText|syntax.EmptyEndLine) != 0 {
		w.visit(inst.Out, 1)
	} else if w.isStart {
		w.visit(inst.Out, atEnd)
	}
}
