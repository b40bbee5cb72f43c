package interpreted

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// Bounds of the bytes of a candidate, which is printable ASCII.
const (
	firstByte = 0x20
	lastByte  = 0x7e
)

// classOf returns the class of the printable characters in these ranges, in the form that placesOf describes.
func classOf(ranges ...rune) string {
	class := emptyClass
	for i := 0; i < len(ranges); i += 2 {
		first, last := ranges[i], ranges[i+1]
		if first < firstByte {
			first = firstByte
		}
		if last > lastByte {
			last = lastByte
		}
		if first <= last {
			class = class[:first] + strings.Repeat("1", int(last-first)+1) + class[last+1:]
		}
	}
	return class
}

var (
	emptyClass   = strings.Repeat("0", 1<<asciiBits)
	lineEndClass = emptyClass[:'\n'] + "1" + emptyClass['\n'+1:]
	wordClass    = classOf('0', '9', 'A', 'Z', '_', '_', 'a', 'z')
)

func isOneCharacter(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	}
	return tree.Op == syntax.OpLiteral && len(tree.Rune) == 1
}

// casesOf returns the ranges of a character or, where flags ignore case, of both its cases.
func casesOf(r rune, flags syntax.Flags) []rune {
	if flags&syntax.FoldCase == 0 {
		return []rune{r, r}
	}
	lower, upper := unicode.ToLower(r), unicode.ToUpper(r)
	return []rune{lower, lower, upper, upper}
}

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
