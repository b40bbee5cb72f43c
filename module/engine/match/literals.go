package match

import (
	"regexp/syntax"
	"strings"
)

// Literals are in lower case: a text holds one if it does so in any case. The two ends of a text are bytes here.
const (
	textStart = "\x01"
	textEnd   = "\x02"
)

// Bounds of lists of literals. Longer lists are not worth their memory.
const (
	maxLiterals     = 64
	maxMembers      = 4 // of a class that is written out
	maxLiteralBytes = 8 // more bytes do not make it more selective
)

// text is what a text begins with. When it is whole, nothing follows.
type text struct {
	bytes string
	whole bool
}

// facts hold for every text that a node matches.
type facts struct {
	begins   []text   // the text begins with one of these
	required []string // the text holds one of these; nil: unknown
}

var unknown = facts{begins: []text{{"", false}}}

func known(literals ...string) facts {
	var begins []text
	for _, literal := range literals {
		begins = append(begins, text{literal, true})
	}
	return facts{begins: begins, required: better(nil, begins)}
}

// RequiredLiterals returns literals of which every text that the tree matches holds at least one; nil: there are none.
func RequiredLiterals(tree *syntax.Regexp) []string { return factsOf(tree).required }

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
		for c := rune(firstByte); c <= lastByte; c++ {
			if ranges[i] <= c && c <= ranges[i+1] {
				members = append(members, strings.ToLower(string(c)))
			}
		}
	}
	members = minimal(members)
	if len(members) == 0 || len(members) > maxMembers {
		return unknown
	}
	return known(members...)
}

const maxCopies = 4 // of the body of a repetition; more do not make it more selective

// ofRepeat writes out the minimum number of copies. After them the text ends, or something unknown follows.
func ofRepeat(tree *syntax.Regexp) facts {
	least, most := bounds(tree)
	body := factsOf(tree.Sub[0])
	if least == 0 && most == 1 {
		return facts{begins: append([]text{{"", true}}, body.begins...)}
	}
	var parts []facts
	for i := 0; i < least && i < maxCopies; i++ {
		parts = append(parts, body)
	}
	if least > maxCopies {
		parts = append(parts, unknown)
	} else if most != least {
		parts = append(parts, facts{begins: append([]text{{"", true}}, opened(body.begins)...)})
	}
	return joinAll(parts)
}

// bounds returns the bounds of a repetition; most is -1 where there is no upper bound.
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

func ofAlternation(branches []*syntax.Regexp) facts {
	var all facts
	var required []string
	for _, branch := range branches {
		f := factsOf(branch)
		all.begins = append(all.begins, f.begins...)
		if f.required == nil {
			required = append(required, "") // matches the empty text, so the list is useless
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
