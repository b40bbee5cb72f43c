package interpreted

import "math/big"

// mostRounds bounds the repetitions of a group that are searched.
const mostRounds = 8

// before returns the places before the matches of a program, which are valid until the next call. It writes to the same numbers for
// all programs, because the collection of garbage would be most of the time otherwise.
func before(p *placesOf, g *program) places {
	for len(p.registers) < g.registers {
		p.registers = append(p.registers, new(big.Int))
	}
	registers := p.registers
	rounds := map[int]int{}
	code, next := g.code, 0
	for next < len(code) {
		i := code[next]
		next++
		to := registers[i.to]
		switch i.op {
		case isText:
			ends := registers[i.from]
			for _, class := range i.classes {
				members := p.classes[class]
				if members == nil {
					members = placesOfClass(p, class)
				}
				if to.And(ends, members).Sign() == 0 {
					next = i.next
					break
				}
				ends = to.Lsh(to, 1)
			}
		case toJoin:
			to.Or(to, registers[i.from])
		case toClear:
			to.SetInt64(0)
		case toCopy:
			to.Set(registers[i.from])
		case toSkip:
			next = i.next
		case isAny:
			if to.Sign() == 0 {
				next = i.next
			}
		case isAsserted:
			if to.And(registers[i.from], placesOfClass(p, i.classes[0])).Sign() == 0 {
				next = i.next
			}
		case afterRun:
			beforeRun(to, registers[i.from], placesOfClass(p, i.classes[0]))
		case isNew:
			if to.AndNot(registers[i.from], registers[i.known]).Sign() == 0 {
				next = i.next
			}
		case toCount:
			rounds[i.loop] = 0
		case toRepeat:
			rounds[i.loop]++
			if rounds[i.loop] < mostRounds {
				next = i.next
			} else {
				p.isMore = true
			}
		}
	}
	if next > len(code) {
		return new(big.Int)
	}
	return registers[g.result]
}

// beforeRun passes the members of a class that follow each other before the ends.
func beforeRun(found, ends, members places) {
	found.And(ends, members)
	found.Add(found, members) // a carry passes each run
	found.Xor(found, members)
	found.Or(found, ends)
}
