package interpreted

import "math/big"

// mostRounds bounds the repetitions of a group that are searched exactly. If the last of them still finds places,
// placesOf.isMore is set.
const mostRounds = 8

// placesBefore returns the places where matches begin, valid until the next call. Programs share registers to avoid garbage.
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
		to := registers[i.dst]
		switch i.op {
		case opText:
			ends := registers[i.src]
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
		case opJoin:
			to.Or(to, registers[i.src])
		case opClear:
			to.SetInt64(0)
		case opCopy:
			to.Set(registers[i.src])
		case opSkip:
			next = i.next
		case opAny:
			if to.Sign() == 0 {
				next = i.next
			}
		case opAssert:
			if to.And(registers[i.src], placesOfClass(p, i.classes[0])).Sign() == 0 {
				next = i.next
			}
		case opRun:
			addRunStarts(to, registers[i.src], placesOfClass(p, i.classes[0]))
		case opNew:
			if to.AndNot(registers[i.src], registers[i.known]).Sign() == 0 {
				next = i.next
			}
		case opCount:
			rounds[i.loop] = 0
		case opRepeat:
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

// addRunStarts sets found to the ends, and to all places from which a run of members reaches an end.
func addRunStarts(found, ends, members places) {
	found.And(ends, members)
	found.Add(found, members) // the carry of the addition passes through each run
	found.Xor(found, members)
	found.Or(found, ends)
}
