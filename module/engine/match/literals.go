package match

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Literals are in lower case: a text holds one if it does so in any case. The two ends of a text are bytes of it here.
const (
	textStart = "\x01"
	textEnd   = "\x02"
)

// Bounds on lists of literals: longer ones are not worth their memory.
const (
	maxLiterals     = 64
	maxMembers      = 4 // of a class that is spelt out
	maxLiteralBytes = 8 // more say nothing new
)

// text is what a text begins with; when it is whole, nothing follows.
type text struct {
	bytes string
	whole bool
}

// facts are what is known of every text that a node matches.
type facts struct {
	begins   []text   // the text begins with one of these
	required []string // the text holds one of these; nil: nothing is known
}

var unknown = facts{begins: []text{{"", false}}}

func known(literals ...string) facts {
	var begins []text
	for _, literal := range literals {
		begins = append(begins, text{literal, true})
	}
	return facts{begins: begins, required: better(nil, begins)}
}

// better is the list that fewer texts hold a member of.
func better(required []string, begins []text) []string {
	literals := literalsOf(begins)
	if required == nil || cost(literals) < cost(required) {
		required = literals
	}
	if cost(required) >= useless {
		return nil
	}
	return required
}

// literalsOf are what the texts begin with.
func literalsOf(begins []text) []string {
	literals := make([]string, len(begins))
	for i, b := range begins {
		literals[i] = b.bytes[:min(len(b.bytes), maxLiteralBytes)]
	}
	return minimal(literals)
}

// minimal leaves out what holds another member of the list.
func minimal(literals []string) []string {
	slices.SortFunc(literals, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	var kept []string
	for _, literal := range literals {
		if !slices.ContainsFunc(kept, func(k string) bool { return strings.Contains(literal, k) }) {
			kept = append(kept, literal)
		}
	}
	return kept
}

// useless is the cost of a list that is no better than none.
const useless = 1

// cost is how many members of a list a text is likely to hold; each also takes memory.
func cost(literals []string) float64 {
	const memory = 1e-4
	sum := 0.0
	for _, literal := range literals {
		sum += rate(literal) + memory
	}
	return sum
}

// rate takes a path of some 40 bytes as the usual text; each has its two ends, and begins with a slash.
func rate(literal string) float64 {
	rest := strings.TrimPrefix(strings.TrimPrefix(literal, textStart), textEnd)
	if literal[:len(literal)-len(rest)] == textStart {
		rest = strings.TrimPrefix(rest, "/")
	}
	if rest == "" {
		return useless
	}
	rate := 40.0
	if len(rest) < len(literal) {
		rate = 1
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case 'a' <= c && c <= 'z' || c == '/' || c == '.' || c == '-' || c == '_':
			rate /= 16
		case '0' <= c && c <= '9' || c == textEnd[0]:
			rate /= 40
		default:
			rate /= 400
		}
	}
	return rate
}

// requiredLiterals are literals of which every text that the tree matches holds one; nil: there are none to tell.
func requiredLiterals(tree *syntax.Regexp) []string { return factsOf(tree).required }

func factsOf(tree *syntax.Regexp) facts {
	switch tree.Op {
	case syntax.OpLiteral:
		return known(strings.ToLower(string(tree.Rune)))
	case syntax.OpCharClass:
		return ofClass(tree.Rune)
	case syntax.OpBeginText, syntax.OpBeginLine:
		return known(textStart)
	case syntax.OpEndText, syntax.OpEndLine:
		return known(textEnd)
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return known("")
	case syntax.OpCapture:
		return factsOf(tree.Sub[0])
	case syntax.OpConcat:
		return ofSequence(tree.Sub)
	case syntax.OpAlternate:
		return ofAlternation(tree.Sub)
	case syntax.OpQuest, syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		return ofRepeat(tree)
	}
	return unknown
}

func ofClass(ranges []rune) facts {
	var members []string
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], firstByte); r <= min(ranges[i+1], lastByte); r++ {
			members = append(members, strings.ToLower(string(r)))
		}
	}
	slices.Sort(members)
	members = slices.Compact(members)
	if len(members) == 0 || len(members) > maxMembers {
		return unknown
	}
	return known(members...)
}

const maxCopies = 4 // of what a count repeats; more say nothing new

// ofRepeat writes the copies out that there must be. Behind them there is nothing, or something.
func ofRepeat(tree *syntax.Regexp) facts {
	least, most := bounds(tree)
	body := factsOf(tree.Sub[0])
	if least == 0 && most == 1 {
		return facts{begins: append([]text{{"", true}}, body.begins...)}
	}
	var parts []facts
	for range min(least, maxCopies) {
		parts = append(parts, body)
	}
	if least > maxCopies {
		parts = append(parts, unknown)
	} else if most != least {
		parts = append(parts, facts{begins: append([]text{{"", true}}, opened(body.begins)...)})
	}
	return joinAll(parts)
}

// bounds are how often a node repeats what is below it; most is -1 where there is no bound.
func bounds(tree *syntax.Regexp) (least, most int) {
	switch tree.Op {
	case syntax.OpQuest:
		return 0, 1
	case syntax.OpStar:
		return 0, -1
	case syntax.OpPlus:
		return 1, -1
	}
	return tree.Min, tree.Max
}

func ofSequence(trees []*syntax.Regexp) facts {
	parts := make([]facts, len(trees))
	for i, tree := range trees {
		parts[i] = factsOf(tree)
	}
	return joinAll(parts)
}

// joinAll joins what texts begin with, from each part on, as long as a whole one is among them.
func joinAll(parts []facts) facts {
	all := facts{begins: []text{{"", true}}}
	for i, part := range parts {
		if part.required != nil && (all.required == nil || cost(part.required) < cost(all.required)) {
			all.required = part.required
		}
		run := []text{{"", true}}
		for _, next := range parts[i:] {
			joined := join(run, next.begins)
			if joined == nil {
				run = opened(run)
				break
			}
			run = joined
			all.required = better(all.required, run)
		}
		if i == 0 {
			all.begins = run
		}
	}
	return all
}

// join is nil where nothing can be joined, or there would be too many.
func join(heads, tails []text) []text {
	var joined []text
	whole := 0
	for _, head := range heads {
		if head.whole {
			whole++
		} else {
			joined = append(joined, head)
		}
	}
	if len(joined)+whole*len(tails) > maxLiterals {
		tails = firstBytes(tails)
	}
	if whole == 0 || len(joined)+whole*len(tails) > maxLiterals {
		return nil
	}
	for _, head := range heads {
		for _, tail := range tails {
			if head.whole {
				joined = append(joined, text{head.bytes + tail.bytes, tail.whole && len(head.bytes) < maxLiteralBytes})
			}
		}
	}
	return joined
}

// firstBytes are fewer texts that say less.
func firstBytes(begins []text) []text {
	var firsts []text
	for _, t := range begins {
		first := text{t.bytes[:min(len(t.bytes), 1)], t.whole && len(t.bytes) < 2}
		if !slices.Contains(firsts, first) {
			firsts = append(firsts, first)
		}
	}
	return firsts
}

// opened are the same texts with something unknown behind them.
func opened(begins []text) []text {
	open := make([]text, len(begins))
	for i, t := range begins {
		open[i] = text{t.bytes, false}
	}
	return open
}

func ofAlternation(branches []*syntax.Regexp) facts {
	var all facts
	var required []string
	for _, branch := range branches {
		f := factsOf(branch)
		all.begins = append(all.begins, f.begins...)
		if f.required == nil {
			required = append(required, "") // no text does without it: the list is useless
		}
		required = append(required, f.required...)
	}
	all.required = better(nil, all.begins)
	required = minimal(required)
	if len(required) <= maxLiterals && cost(required) < useless && (all.required == nil || cost(required) < cost(all.required)) {
		all.required = required
	}
	if len(all.begins) > maxLiterals {
		all.begins = unknown.begins
	}
	return all
}
