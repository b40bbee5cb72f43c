package match

import (
	"regexp/syntax"
	"unicode"
)

// step is a part of an expression that is applied to all places of a text at once, from its end to its start.
type step struct {
	op      syntax.Op
	classes []string // OpLiteral: of its characters
	members string   // OpStar: the class of all characters that it may match
	last    string   // the class of the last character, where there is one
	parts   []*step
}

// knownClasses are those of some ranges, which take an interpreter long to make.
type knownClasses map[string]string

func (k knownClasses) of(ranges []rune) string {
	class := k[string(ranges)]
	if class == "" {
		class = classOf(ranges...)
		k[string(ranges)] = class
	}
	return class
}

// newStep makes the steps of a tree that Simplify returned.
func newStep(tree *syntax.Regexp, known knownClasses) *step {
	s := &step{op: tree.Op}
	for _, part := range tree.Sub {
		s.parts = append(s.parts, newStep(part, known))
	}
	switch tree.Op {
	case syntax.OpLiteral:
		for _, r := range tree.Rune {
			s.classes = append(s.classes, known.of(casesOf(r, tree.Flags)))
		}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		s.op = syntax.OpLiteral
		s.classes = []string{known.of(rangesOf(tree))}
	case syntax.OpStar:
		s.members = known.of(rangesOf(tree))
	case syntax.OpPlus:
		star := &step{op: syntax.OpStar, members: known.of(rangesOf(tree)), parts: s.parts}
		s.op = syntax.OpConcat
		s.parts = []*step{s.parts[0], star}
	}
	if last := len(s.classes) - 1; last >= 0 {
		s.last = s.classes[last]
	} else if last := len(s.parts) - 1; last >= 0 && s.op == syntax.OpConcat {
		s.last = s.parts[last].last
	}
	return s
}

func casesOf(r rune, flags syntax.Flags) []rune {
	if flags&syntax.FoldCase == 0 {
		return []rune{r, r}
	}
	lower, upper := unicode.ToLower(r), unicode.ToUpper(r)
	return []rune{lower, lower, upper, upper}
}

// rangesOf returns the ranges of all characters in a tree.
func rangesOf(tree *syntax.Regexp) []rune {
	var ranges []rune
	switch tree.Op {
	case syntax.OpLiteral:
		for _, r := range tree.Rune {
			ranges = append(ranges, casesOf(r, tree.Flags)...)
		}
	case syntax.OpCharClass:
		return tree.Rune
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []rune{firstByte, lastByte}
	}
	for _, part := range tree.Sub {
		ranges = append(ranges, rangesOf(part)...)
	}
	return ranges
}
