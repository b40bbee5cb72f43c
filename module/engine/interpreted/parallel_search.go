package interpreted

import "math/big"

// mostRounds bounds the repetitions of a group that are searched exactly. Beyond it, a result may have too many places.
const mostRounds = 8

// placesBefore runs a program. It returns the places where matches begin, which are valid until the next call. All programs share the
// registers: with new numbers for each, most of the time would be that of garbage collection.
func placesBefore(p *placesOf, g *program) places {
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

// beforeRun sets found to the ends, and to the places from which only members of a class lead to an end.
func beforeRun(found, ends, members places) {
	found.And(ends, members)
	found.Add(found, members) // a carry passes each run
	found.Xor(found, members)
	found.Or(found, ends)
}
