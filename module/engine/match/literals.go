package match

import (
	"regexp/syntax"
	"strings"
)

// Marks of the start and the end of a text in literals. Letters in literals are in lower case, and match both cases.
const (
	TextStart = "\x01"
	TextEnd   = "\x02"
)

// LineEnd separates candidates that an interpreted program searches together. No candidate contains it.
const LineEnd = "\n"

// Bounds of lists of literals. Longer lists are not worth their memory.
const (
	maxLiterals     = 64
	maxInProse      = 256
	roomToJoin      = 3 // a list of at most maximum/3 literals can be joined with a preceding (?:^|/), which multiplies it
	maxMembers      = 4 // a class with more characters is treated as unknown
	maxLiteralBytes = 8 // longer literals are hardly more selective
)

// text describes texts that a node of the syntax tree matches: exactly bytes if whole is set, otherwise texts that
// begin with bytes.
type text struct {
	bytes string
	whole bool
}

// facts are true of every text that a node of the syntax tree matches.
type facts struct {
	begins   []text   // the text begins with one of these
	required []string // the text contains one of these; nil: unknown
}

var unknownFacts = facts{begins: []text{{"", false}}}

func (x extractor) factsOfTexts(literals ...string) facts {
	var begins []text
	for _, literal := range literals {
		begins = append(begins, text{literal, true})
	}
	return facts{begins: begins, required: x.rarerLiterals(nil, begins)}
}

// extractor finds the literals of a pattern. Of several lists it prefers the one whose literals occur in the fewest texts.
type extractor struct {
	most int   // maximum literals of a list
	cuts []int // lengths in bytes to which the texts of a longer list are cut, tried in order until the list is short enough
	// cutsBranches cuts the texts of an alternation until they can be joined with the part before it.
	cutsBranches bool
	rate         func(literal string) float64 // estimates how often a text contains the literal
}

// RequiredLiterals returns literals. Every text that the tree matches contains at least one of them. It returns nil if none are found.
func RequiredLiterals(tree *syntax.Regexp) []string {
	return extractor{maxLiterals, []int{1}, false, rateInPaths}.factsOf(tree).required
}

// RequiredInProse is like RequiredLiterals, but for values of bodies: it avoids literals that are common in prose.
func RequiredInProse(tree *syntax.Regexp) []string {
	if required := (extractor{maxInProse, []int{4, 3, 2, 1}, true, rateInProse}).factsOf(tree).required; required != nil {
		return required
	}
	return RequiredLiterals(tree)
}

func (x extractor) factsOf(tree *syntax.Regexp) facts {
	switch tree.Op {
	case syntax.OpLiteral:
		return x.factsOfTexts(strings.ToLower(string(tree.Rune)))
	case syntax.OpCharClass:
		return x.factsOfClass(tree.Rune)
	case syntax.OpBeginText, syntax.OpBeginLine:
		return x.factsOfTexts(TextStart)
	case syntax.OpEndText, syntax.OpEndLine:
		return x.factsOfTexts(TextEnd)
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return x.factsOfTexts("")
	case syntax.OpCapture:
		return x.factsOf(tree.Sub[0])
	case syntax.OpConcat:
		return x.factsOfSequence(tree.Sub)
	case syntax.OpAlternate:
		return x.factsOfAlternation(tree.Sub)
	case syntax.OpQuest, syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		return x.factsOfRepeat(tree)
	}
	return unknownFacts
}

func (x extractor) factsOfClass(ranges []rune) facts {
	var members []string
	for i := 0; i < len(ranges); i += 2 {
		for c := rune(firstByte); c <= lastByte; c++ {
			if ranges[i] <= c && c <= ranges[i+1] {
				members = append(members, strings.ToLower(string(c)))
			}
		}
	}
	members = withoutLongerLiterals(members)
	if len(members) == 0 || len(members) > maxMembers {
		return unknownFacts
	}
	return x.factsOfTexts(members...)
}

const maxCopies = 4 // copies of a repeated part that are joined; more would hardly make the literals more selective

// factsOfRepeat joins the minimum number of copies, but at most maxCopies, and treats further copies as optional or unknown.
func (x extractor) factsOfRepeat(tree *syntax.Regexp) facts {
	least, most := repeatBounds(tree)
	body := x.factsOf(tree.Sub[0])
	if least == 0 && most == 1 {
		return facts{begins: append([]text{{"", true}}, body.begins...)}
	}
	var parts []facts
	for i := 0; i < least && i < maxCopies; i++ {
		parts = append(parts, body)
	}
	if least > maxCopies {
		parts = append(parts, unknownFacts)
	} else if most != least {
		parts = append(parts, facts{begins: append([]text{{"", true}}, asBeginnings(body.begins)...)})
	}
	return x.joinAll(parts)
}

// repeatBounds returns the bounds of a repetition; most is -1 where there is no upper bound.
func repeatBounds(tree *syntax.Regexp) (least, most int) {
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

func (x extractor) factsOfSequence(trees []*syntax.Regexp) facts {
	parts := make([]facts, len(trees))
	for i, tree := range trees {
		parts[i] = x.factsOf(tree)
	}
	return x.joinAll(parts)
}

func (x extractor) factsOfAlternation(branches []*syntax.Regexp) facts {
	var all facts
	var required []string
	for _, branch := range branches {
		f := x.factsOf(branch)
		all.begins = append(all.begins, f.begins...)
		if f.required == nil {
			required = append(required, "") // every text contains it, so the list becomes useless
		}
		required = append(required, f.required...)
	}
	all.required = x.rarerLiterals(nil, all.begins)
	required = withoutLongerLiterals(required)
	if len(required) <= x.most && x.cost(required) < uselessCost && (all.required == nil || x.cost(required) < x.cost(all.required)) {
		all.required = required
	}
	for i := 0; x.cutsBranches && i < len(x.cuts) && len(all.begins) > x.most/roomToJoin; i++ {
		all.begins = firstBytes(all.begins, x.cuts[i])
	}
	if len(all.begins) > x.most {
		all.begins = unknownFacts.begins
	}
	return all
}
