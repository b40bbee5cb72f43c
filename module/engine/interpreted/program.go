package interpreted

import "regexp/syntax"

// operation is what an instruction does. Each register contains a set of places: dst and src are registers of the instruction.
type operation int

const (
	opText   operation = iota // dst = the starts of the texts of classes (last first) that end at src; jumps if empty
	opAssert                  // dst = the places of src that are in the class; jumps if empty
	opRun                     // dst = src, and the starts of the runs of the class that end at src
	opCopy                    // dst = src
	opJoin                    // dst = the places of dst and those of src
	opClear                   // dst = no places
	opSkip                    // jumps
	opAny                     // jumps if dst is empty
	opNew                     // dst = the places of src that are not in known; jumps if empty
	opCount                   // sets the rounds of a loop to 0
	opRepeat                  // jumps to the start of the loop until it had mostRounds
)

type instruction struct {
	op       operation
	dst, src int // registers
	known    int // a register
	loop     int // number of the loop
	next     int // index of the instruction to which this one jumps
	classes  []string
}

// program finds where matches begin. It applies the parts of the expression from the last to the first, each to all places in
// one step. It is a flat list, because a function call takes an interpreter several times as long.
type program struct {
	code      []*instruction
	registers int // number of registers; the first has the ends of all possible matches and is never written
	result    int // register of the result
}

type programmer struct {
	code      []*instruction
	registers int
	unused    []int // released registers
	loops     int   // number of loops
	// known has classes by their ranges, and characters has classes by character, which is negative if case is ignored.
	// They are kept, because an interpreter takes long to make a class.
	known      map[string]string
	characters map[rune]string
}

func newProgram(tree *syntax.Regexp) *program {
	p := &programmer{registers: 1, known: map[string]string{}, characters: map[rune]string{}}
	var deadEnds []int
	result := p.writePart(tree, 0, false, &deadEnds)
	p.continueAt(deadEnds, len(p.code)+1)
	return &program{code: p.code, registers: p.registers, result: result}
}

// writePart writes the instructions for a part of an expression. The matches of the part end at the places in register
// from. The returned register has their starts. With isOwned, writePart may overwrite or release from. It adds the
// instructions that jump on an empty result to deadEnds.
func (p *programmer) writePart(tree *syntax.Regexp, from int, isOwned bool, deadEnds *[]int) int {
	switch tree.Op {
	case syntax.OpLiteral:
		return p.writeClasses(opText, p.classesOf(tree), from, isOwned, deadEnds)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return p.writeClasses(opText, []string{p.classOfRanges(rangesOf(tree))}, from, isOwned, deadEnds)
	case syntax.OpConcat, syntax.OpCapture:
		for i := len(tree.Sub) - 1; i >= 0; i-- {
			result := p.writePart(tree.Sub[i], from, isOwned, deadEnds)
			isOwned = isOwned || result != from
			from = result
		}
		return from
	case syntax.OpPlus:
		return p.writePart(tree.Sub[0], p.writeStar(tree.Sub[0], from, isOwned), true, deadEnds)
	case syntax.OpStar:
		return p.writeStar(tree.Sub[0], from, isOwned)
	case syntax.OpQuest:
		return p.writeOptional(tree.Sub[0], from, isOwned)
	case syntax.OpAlternate:
		return p.writeAlternatives(tree.Sub, from, isOwned, deadEnds)
	case syntax.OpEmptyMatch:
		return from
	}
	return p.writeClasses(opAssert, []string{assertions[tree.Op]}, from, isOwned, deadEnds)
}

func (p *programmer) writeClasses(op operation, classes []string, from int, isOwned bool, deadEnds *[]int) int {
	to := from
	if !isOwned {
		to = p.newRegister()
	}
	p.writeJump(&instruction{op: op, dst: to, src: from, classes: classes}, deadEnds)
	return to
}

func (p *programmer) writeOptional(part *syntax.Regexp, from int, isOwned bool) int {
	var deadEnds []int
	result := p.writePart(part, from, false, &deadEnds)
	if result == from {
		return from // the part is empty
	}
	p.write(&instruction{op: opJoin, dst: result, src: from})
	skip := &instruction{op: opSkip}
	p.write(skip)
	p.continueAt(deadEnds, len(p.code))
	p.write(&instruction{op: opCopy, dst: result, src: from})
	skip.next = len(p.code)
	p.release(from, isOwned)
	return result
}

func (p *programmer) writeAlternatives(parts []*syntax.Regexp, from int, isOwned bool, deadEnds *[]int) int {
	found := p.newRegister()
	p.write(&instruction{op: opClear, dst: found})
	for _, part := range parts {
		var absent []int
		result := p.writePart(part, from, false, &absent)
		p.write(&instruction{op: opJoin, dst: found, src: result})
		p.release(result, result != from)
		p.continueAt(absent, len(p.code))
	}
	p.writeJump(&instruction{op: opAny, dst: found}, deadEnds)
	p.release(from, isOwned)
	return found
}

func (p *programmer) writeStar(body *syntax.Regexp, from int, isOwned bool) int {
	found := p.newRegister()
	if class := p.classOfRanges(rangesOf(body)); isOneCharacter(body) {
		p.write(&instruction{op: opRun, dst: found, src: from, classes: []string{class}})
	} else {
		p.writeLoop(body, found, from, class)
	}
	p.release(from, isOwned)
	return found
}

// writeLoop writes the repetition of a group. members is the class of all characters in the group: after mostRounds, a
// run of this class counts as a repetition.
func (p *programmer) writeLoop(body *syntax.Regexp, found, from int, members string) {
	last, loop := p.newRegister(), p.loops
	p.loops++
	p.write(&instruction{op: opCopy, dst: found, src: from})
	p.write(&instruction{op: opCopy, dst: last, src: from})
	p.write(&instruction{op: opCount, loop: loop})
	var deadEnds []int
	start := len(p.code)
	result := p.writePart(body, last, false, &deadEnds)
	p.writeJump(&instruction{op: opNew, dst: last, src: result, known: found}, &deadEnds)
	p.release(result, result != last)
	p.write(&instruction{op: opJoin, dst: found, src: last})
	p.write(&instruction{op: opRepeat, loop: loop, next: start})
	p.write(&instruction{op: opCopy, dst: last, src: found})
	p.write(&instruction{op: opRun, dst: found, src: last, classes: []string{members}})
	p.continueAt(deadEnds, len(p.code))
	p.release(last, true)
}

func (p *programmer) write(i *instruction) { p.code = append(p.code, i) }

// writeJump writes an instruction that jumps if its result is empty.
func (p *programmer) writeJump(i *instruction, deadEnds *[]int) {
	*deadEnds = append(*deadEnds, len(p.code))
	p.write(i)
}

func (p *programmer) continueAt(deadEnds []int, next int) {
	for _, i := range deadEnds {
		p.code[i].next = next
	}
}

func (p *programmer) newRegister() int {
	last := len(p.unused) - 1
	if last < 0 {
		p.registers++
		return p.registers - 1
	}
	register := p.unused[last]
	p.unused = p.unused[:last]
	return register
}

func (p *programmer) release(register int, isOwned bool) {
	if isOwned {
		p.unused = append(p.unused, register)
	}
}

// classesOf returns the classes of the characters of a literal, the last first.
func (p *programmer) classesOf(literal *syntax.Regexp) []string {
	var classes []string
	for i := len(literal.Rune) - 1; i >= 0; i-- {
		character := literal.Rune[i]
		if literal.Flags&syntax.FoldCase != 0 {
			character = -character
		}
		class := p.characters[character]
		if class == "" {
			class = p.classOfRanges(casesOf(literal.Rune[i], literal.Flags))
			p.characters[character] = class
		}
		classes = append(classes, class)
	}
	return classes
}

func (p *programmer) classOfRanges(ranges []rune) string {
	class := p.known[string(ranges)]
	if class == "" {
		class = classOf(ranges...)
		p.known[string(ranges)] = class
	}
	return class
}
