package interpreted

import "regexp/syntax"

// operation is what an instruction does to registers, which are places.
type operation int

const (
	isText     operation = iota // to: before characters of the classes, the last first, that end at from; none: continues at next
	isAsserted                  // to: those of from that are in the class; none: continues at next
	afterRun                    // to: before runs of the class that end at from, and from
	toCopy                      // to: from
	toJoin                      // to: from too
	toClear                     // to: no place
	toSkip                      // continues at next
	isAny                       // none in to: continues at next
	isNew                       // to: those of from that are not in known; none: continues at next
	toCount                     // a loop begins
	toRepeat                    // continues at next for as long as a loop has rounds
)

// instruction is a step of a program.
type instruction struct {
	op       operation
	to, from int // registers
	known    int // a register
	loop     int
	next     int
	classes  []string
}

// program finds where the matches of an expression begin, from their ends: it applies each part of the expression to all places of
// a text at once. It is one list, because an interpreter takes several times as long to call a function as to run an instruction.
type program struct {
	code      []*instruction
	registers int // the first has all ends, and is not written to
	result    int
}

// programmer writes a program.
type programmer struct {
	code      []*instruction
	registers int
	unused    []int
	loops     int
	// Classes, which take an interpreter long to make: by their ranges, and of characters, below zero in any case.
	known      map[string]string
	characters map[rune]string
}

// newProgram makes the program of a tree that Simplify returned.
func newProgram(tree *syntax.Regexp) *program {
	p := &programmer{registers: 1, known: map[string]string{}, characters: map[rune]string{}}
	var none []int
	result := p.part(tree, 0, false, &none)
	p.continueAt(none, len(p.code)+1)
	return &program{code: p.code, registers: p.registers, result: result}
}

// part writes what a part of an expression does to the register from, which it may overwrite or release where isOwned is set. It
// appends the instructions that end without a place to none. It returns the register of the result.
func (p *programmer) part(tree *syntax.Regexp, from int, isOwned bool, none *[]int) int {
	switch tree.Op {
	case syntax.OpLiteral:
		return p.place(isText, p.classesOf(tree), from, isOwned, none)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return p.place(isText, []string{p.class(rangesOf(tree))}, from, isOwned, none)
	case syntax.OpConcat, syntax.OpCapture:
		for i := len(tree.Sub) - 1; i >= 0; i-- {
			some := p.part(tree.Sub[i], from, isOwned, none)
			isOwned = isOwned || some != from
			from = some
		}
		return from
	case syntax.OpPlus:
		return p.part(tree.Sub[0], p.star(tree.Sub[0], from, isOwned), true, none)
	case syntax.OpStar:
		return p.star(tree.Sub[0], from, isOwned)
	case syntax.OpQuest:
		return p.optional(tree.Sub[0], from, isOwned)
	case syntax.OpAlternate:
		return p.alternatives(tree.Sub, from, isOwned, none)
	case syntax.OpEmptyMatch:
		return from
	}
	return p.place(isAsserted, []string{assertions[tree.Op]}, from, isOwned, none)
}

// place writes an instruction that keeps some places.
func (p *programmer) place(op operation, classes []string, from int, isOwned bool, none *[]int) int {
	to := from
	if !isOwned {
		to = p.register()
	}
	p.end(&instruction{op: op, to: to, from: from, classes: classes}, none)
	return to
}

// optional writes a part that may be absent.
func (p *programmer) optional(part *syntax.Regexp, from int, isOwned bool) int {
	var none []int
	some := p.part(part, from, false, &none)
	if some == from {
		return from // the part is empty
	}
	p.write(&instruction{op: toJoin, to: some, from: from})
	skip := &instruction{op: toSkip}
	p.write(skip)
	p.continueAt(none, len(p.code))
	p.write(&instruction{op: toCopy, to: some, from: from})
	skip.next = len(p.code)
	p.release(from, isOwned)
	return some
}

// alternatives writes parts of which each may match.
func (p *programmer) alternatives(parts []*syntax.Regexp, from int, isOwned bool, none *[]int) int {
	found := p.register()
	p.write(&instruction{op: toClear, to: found})
	for _, part := range parts {
		var absent []int
		some := p.part(part, from, false, &absent)
		p.write(&instruction{op: toJoin, to: found, from: some})
		p.release(some, some != from)
		p.continueAt(absent, len(p.code))
	}
	p.end(&instruction{op: isAny, to: found}, none)
	p.release(from, isOwned)
	return found
}

// star writes repetitions. The result has too many places where there are many repetitions of a group.
func (p *programmer) star(body *syntax.Regexp, from int, isOwned bool) int {
	found := p.register()
	if class := p.class(rangesOf(body)); isOneCharacter(body) {
		p.write(&instruction{op: afterRun, to: found, from: from, classes: []string{class}})
	} else {
		p.loop(body, found, from, class)
	}
	p.release(from, isOwned)
	return found
}

func (p *programmer) loop(body *syntax.Regexp, found, from int, members string) {
	last, loop := p.register(), p.loops
	p.loops++
	p.write(&instruction{op: toCopy, to: found, from: from})
	p.write(&instruction{op: toCopy, to: last, from: from})
	p.write(&instruction{op: toCount, loop: loop})
	var none []int
	start := len(p.code)
	some := p.part(body, last, false, &none)
	p.end(&instruction{op: isNew, to: last, from: some, known: found}, &none)
	p.release(some, some != last)
	p.write(&instruction{op: toJoin, to: found, from: last})
	p.write(&instruction{op: toRepeat, loop: loop, next: start})
	p.write(&instruction{op: toCopy, to: last, from: found})
	p.write(&instruction{op: afterRun, to: found, from: last, classes: []string{members}})
	p.continueAt(none, len(p.code))
	p.release(last, true)
}

func (p *programmer) write(i *instruction) { p.code = append(p.code, i) }

// end writes an instruction that may leave no place.
func (p *programmer) end(i *instruction, none *[]int) {
	*none = append(*none, len(p.code))
	p.write(i)
}

// continueAt sets where instructions that leave no place continue.
func (p *programmer) continueAt(none []int, next int) {
	for _, i := range none {
		p.code[i].next = next
	}
}

func (p *programmer) register() int {
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
			class = p.class(casesOf(literal.Rune[i], literal.Flags))
			p.characters[character] = class
		}
		classes = append(classes, class)
	}
	return classes
}

func (p *programmer) class(ranges []rune) string {
	class := p.known[string(ranges)]
	if class == "" {
		class = classOf(ranges...)
		p.known[string(ranges)] = class
	}
	return class
}
