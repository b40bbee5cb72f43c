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

// appendKey appends bytes that identify a set among the sets of one automaton.
func (s Set) appendKey(b []byte) []byte {
	for _, word := range s {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

func (s Set) key() string { return string(s.appendKey(nil)) }

// nfa is the nondeterministic automaton of a pattern. Each state waits for a byte, except the final states matched and matchedEnds.
type nfa struct {
	waits       []*[alphabet]bool // for each state: the bytes that it accepts
	follow      []Set             // for each state: the next states after it accepted a byte
	start       Set               // states before the first byte
	restart     Set               // states that are added after each byte, because a match can begin there
	matched     int               // final state: the text matches, whatever follows
	matchedEnds int               // final state: the text matches if it ends here
}

// newNFA returns the automaton of a tree. It returns nil for a tree with word boundaries, which also depend on the next
// byte, and if the budget is used up.
func (b *TableBudget) newNFA(tree *syntax.Regexp) *nfa {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil
	}
	n := &nfa{}
	number := make([]int, len(prog.Inst)) // number of the state of each instruction
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
	w := newWalk(prog, number, n)
	for pc := range prog.Inst {
		if isRune(&prog.Inst[pc]) {
			n.follow = append(n.follow, w.statesFrom(prog.Inst[pc].Out, false))
			if !b.spend(w.steps) {
				return nil
			}
		}
	}
	n.start = w.statesFrom(uint32(prog.Start), true)
	n.restart = w.statesFrom(uint32(prog.Start), false)
	return n
}

// acceptsCharacter reports whether a part of the tree matches this character. It returns true if the tree cannot be compiled.
func acceptsCharacter(tree *syntax.Regexp, c rune) bool {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return true
	}
	for pc := range prog.Inst {
		if inst := &prog.Inst[pc]; isRune(inst) && inst.MatchRune(c) {
			return true
		}
	}
	return false
}

func (n *nfa) newStates() Set { return NewSet(n.matchedEnds + 1) }

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
	isStart bool     // no byte has been read
	seen    [2][]int // for each instruction: the last walk that visited it, before and after an assertion of the end
	walks   int
	steps   int // number of steps of the last walk
	reached Set
}

func newWalk(prog *syntax.Prog, number []int, n *nfa) *walk {
	seen := [2][]int{make([]int, len(prog.Inst)), make([]int, len(prog.Inst))}
	return &walk{prog: prog, number: number, nfa: n, seen: seen}
}

func (w *walk) statesFrom(pc uint32, isStart bool) Set {
	w.isStart = isStart
	w.walks++
	w.reached = w.nfa.newStates()
	w.steps = len(w.reached)
	w.visit(pc, 0)
	return w.reached
}

// visit follows an instruction. atEnd is 1 after an assertion of the end, where no further byte can match.
func (w *walk) visit(pc uint32, atEnd int) {
	if w.seen[atEnd][pc] == w.walks {
		return
	}
	w.seen[atEnd][pc] = w.walks
	w.steps++
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
		w.reached.Add(w.nfa.matched + atEnd)
	case syntax.InstFail:
	default:
		if atEnd == 0 {
			w.reached.Add(w.number[pc])
		}
	}
}

// visitAssertion follows an assertion of the start or the end. A text has no line feeds, so it treats a line like the whole text.
func (w *walk) visitAssertion(inst *syntax.Inst, atEnd int) {
	if syntax.EmptyOp(inst.Arg)&(syntax.EmptyEndText|syntax.EmptyEndLine) != 0 {
		w.visit(inst.Out, 1)
	} else if w.isStart {
		w.visit(inst.Out, atEnd)
	}
}
