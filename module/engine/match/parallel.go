package match

import (
	"math/big"
	"regexp/syntax"
)

// mostRounds bounds the repetitions of a group that are searched.
const mostRounds = 8

// application is that of steps to a text.
type application struct {
	*placesOf
	isMore bool // some places may have no match
}

// before returns the places before the matches of a step that end at some places: those, or a number that it may change.
// The place of an end is the byte before it.
func (a *application) before(s *step, ends places) places {
	if ends.Sign() == 0 {
		return ends
	}
	switch s.op {
	case syntax.OpLiteral:
		return a.literal(s.classes, ends)
	case syntax.OpConcat, syntax.OpCapture:
		return a.sequence(s.parts, ends)
	case syntax.OpAlternate:
		return a.alternation(s.parts, ends)
	case syntax.OpQuest:
		some := a.before(s.parts[0], ends)
		if some == ends {
			return ends
		}
		return some.Or(some, ends)
	case syntax.OpStar:
		return a.star(s, ends)
	case syntax.OpEmptyMatch:
		return ends
	}
	return a.assertion(s.op, ends)
}

func (a *application) sequence(parts []*step, ends places) places {
	found := ends
	for i := len(parts) - 1; i >= 0; i-- {
		some := a.before(parts[i], found)
		if some != found {
			a.leave(found, ends)
		}
		found = some
	}
	return found
}

// alternation tries the last characters first, because few alternatives match.
func (a *application) alternation(parts []*step, ends places) places {
	found, last := a.take().SetInt64(0), a.take()
	for _, part := range parts {
		if part.last != "" && last.And(ends, a.of(part.last)).Sign() == 0 {
			continue
		}
		if some := a.before(part, ends); some.Sign() != 0 {
			found.Or(found, some)
			a.leave(some, ends)
		}
	}
	a.leave(last, ends)
	return found
}

func (a *application) literal(classes []string, ends places) places {
	found := a.take()
	for i := len(classes) - 1; i >= 0; i-- {
		class := a.classes[classes[i]]
		if class == nil {
			class = a.of(classes[i])
		}
		if found.And(ends, class).Sign() == 0 {
			return found
		}
		ends = found.Lsh(found, 1)
	}
	return found
}

// star returns too many places where there are many repetitions of a group.
func (a *application) star(s *step, ends places) places {
	body := s.parts[0]
	if body.op == syntax.OpLiteral && len(body.classes) == 1 {
		return a.run(body.classes[0], ends)
	}
	found, last := a.take().Set(ends), a.take().Set(ends)
	for round := 0; last.Sign() != 0; round++ {
		if round == mostRounds {
			a.isMore = true
			return a.run(s.members, found)
		}
		some := a.before(body, last)
		last.AndNot(some, found)
		a.leave(some, last)
		found.Or(found, last)
	}
	a.leave(last, ends)
	return found
}

// run passes the members of a class that follow each other before the ends.
func (a *application) run(class string, ends places) places {
	members := a.of(class)
	found := a.take().And(ends, members)
	found.Add(found, members) // a carry passes each run
	found.Xor(found, members)
	return found.Or(found, ends)
}

// take returns a number to write to. To reuse the memory saves the collection of garbage, which is most of the time otherwise.
func (p *placesOf) take() places {
	last := len(p.free) - 1
	if last < 0 {
		return new(big.Int)
	}
	found := p.free[last]
	p.free = p.free[:last]
	return found
}

// leave returns a number that is not needed any more, unless it is the one that is kept.
func (p *placesOf) leave(n, kept places) {
	if n != kept {
		p.free = append(p.free, n)
	}
}

func (a *application) assertion(op syntax.Op, ends places) places {
	lineEnd, word := a.of(lineEndClass), a.of(wordCharacter)
	found := a.take()
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
