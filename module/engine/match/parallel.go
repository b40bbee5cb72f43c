package match

import (
	"math/big"
	"regexp/syntax"
)

// An interpreter takes several times as long to call a method as to call a function, so that these are functions.

// mostRounds bounds the repetitions of a group that are searched.
const mostRounds = 8

// before returns the places before the matches of a step that end at some places, of which there is one: those, or a number
// that it may change. The place of an end is the byte before it.
func before(p *placesOf, s *step, ends places) places {
	if s.op == syntax.OpLiteral {
		return beforeLiteral(p, s.classes, ends)
	}
	switch s.op {
	case syntax.OpConcat, syntax.OpCapture:
		return beforeSequence(p, s.parts, ends)
	case syntax.OpAlternate:
		return beforeAlternation(p, s.parts, ends)
	case syntax.OpQuest:
		some := before(p, s.parts[0], ends)
		if some == ends {
			return ends
		}
		return some.Or(some, ends)
	case syntax.OpStar:
		return beforeStar(p, s, ends)
	case syntax.OpEmptyMatch:
		return ends
	}
	return atAssertion(p, s.op, ends)
}

func beforeSequence(p *placesOf, parts []*step, ends places) places {
	found := ends
	for i := len(parts) - 1; i >= 0; i-- {
		some := before(p, parts[i], found)
		if some != found {
			leave(p, found, ends)
		}
		found = some
		if found.Sign() == 0 {
			break
		}
	}
	return found
}

// beforeAlternation tries the last characters first, because few alternatives match.
func beforeAlternation(p *placesOf, parts []*step, ends places) places {
	found, last := take(p).SetInt64(0), take(p)
	for _, part := range parts {
		if part.last != "" {
			members := p.classes[part.last]
			if members == nil {
				members = placesOfClass(p, part.last)
			}
			if last.And(ends, members).Sign() == 0 {
				continue
			}
		}
		some := before(p, part, ends)
		found.Or(found, some)
		leave(p, some, ends)
	}
	leave(p, last, ends)
	return found
}

func beforeLiteral(p *placesOf, classes []string, ends places) places {
	found := take(p)
	for i := len(classes) - 1; i >= 0; i-- {
		members := p.classes[classes[i]]
		if members == nil {
			members = placesOfClass(p, classes[i])
		}
		if found.And(ends, members).Sign() == 0 {
			return found
		}
		ends = found.Lsh(found, 1)
	}
	return found
}

// beforeStar returns too many places where there are many repetitions of a group.
func beforeStar(p *placesOf, s *step, ends places) places {
	body := s.parts[0]
	if body.op == syntax.OpLiteral && len(body.classes) == 1 {
		return beforeRun(p, body.classes[0], ends)
	}
	found, last := take(p).Set(ends), take(p).Set(ends)
	for round := 0; last.Sign() != 0; round++ {
		if round == mostRounds {
			p.isMore = true
			return beforeRun(p, s.members, found)
		}
		some := before(p, body, last)
		last.AndNot(some, found)
		leave(p, some, last)
		found.Or(found, last)
	}
	leave(p, last, ends)
	return found
}

// beforeRun passes the members of a class that follow each other before the ends.
func beforeRun(p *placesOf, class string, ends places) places {
	members := placesOfClass(p, class)
	found := take(p).And(ends, members)
	found.Add(found, members) // a carry passes each run
	found.Xor(found, members)
	return found.Or(found, ends)
}

func atAssertion(p *placesOf, op syntax.Op, ends places) places {
	lineEnd, word := placesOfClass(p, lineEndClass), placesOfClass(p, wordCharacter)
	found := take(p)
	switch op {
	case syntax.OpBeginText, syntax.OpBeginLine:
		return found.And(ends, lineEnd)
	case syntax.OpEndText, syntax.OpEndLine:
		return found.And(ends, found.Lsh(lineEnd, 1))
	case syntax.OpWordBoundary:
		return found.And(ends, found.Xor(word, found.Lsh(word, 1)))
	case syntax.OpNoWordBoundary:
		return found.AndNot(ends, found.Xor(word, found.Lsh(word, 1)))
	}
	return found.SetInt64(0) // OpNoMatch
}

// take returns a number to write to. To reuse the memory saves the collection of garbage, which is most of the time otherwise.
func take(p *placesOf) places {
	last := len(p.free) - 1
	if last < 0 {
		return new(big.Int)
	}
	found := p.free[last]
	p.free = p.free[:last]
	return found
}

// leave returns a number that is not needed any more, unless it is the one that is kept.
func leave(p *placesOf, n, kept places) {
	if n != kept {
		p.free = append(p.free, n)
	}
}
