package match

import "regexp/syntax"

// direction is the end at which the table of a pattern begins to read a text. It is the end to which the pattern is
// anchored.
type direction int

const (
	fromStart direction = iota // anchored at the start: the first bytes exclude most texts
	fromEnd                    // anchored at the end: the last bytes exclude most texts
	unanchored
)

func branches(tree *syntax.Regexp) []*syntax.Regexp {
	switch tree.Op {
	case syntax.OpCapture:
		return branches(tree.Sub[0])
	case syntax.OpAlternate:
		return tree.Sub
	}
	return []*syntax.Regexp{tree}
}

func directionOf(tree *syntax.Regexp) direction {
	switch {
	case isAnchored(tree):
		return fromStart
	case isAnchored(reversedTree(tree)):
		return fromEnd
	}
	return unanchored
}

// isAnchored reports whether every match begins at the start of the text.
func isAnchored(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpBeginText, syntax.OpBeginLine:
		return true
	case syntax.OpCapture, syntax.OpConcat, syntax.OpPlus:
		return len(tree.Sub) > 0 && isAnchored(tree.Sub[0])
	case syntax.OpAlternate:
		for _, branch := range tree.Sub {
			if !isAnchored(branch) {
				return false
			}
		}
		return true
	}
	return false
}

var mirroredOps = map[syntax.Op]syntax.Op{
	syntax.OpBeginText: syntax.OpEndText,
	syntax.OpEndText:   syntax.OpBeginText,
	syntax.OpBeginLine: syntax.OpEndLine,
	syntax.OpEndLine:   syntax.OpBeginLine,
}

// reversedTree returns a tree that matches the same texts, read from the end to the start.
func reversedTree(tree *syntax.Regexp) *syntax.Regexp {
	r := withMappedChildren(tree, reversedTree)
	if op, ok := mirroredOps[r.Op]; ok {
		r.Op = op
	}
	if r.Op == syntax.OpLiteral {
		r.Rune = append([]rune(nil), r.Rune...)
		for i, k := 0, len(r.Rune)-1; i < k; i, k = i+1, k-1 {
			r.Rune[i], r.Rune[k] = r.Rune[k], r.Rune[i]
		}
	}
	if r.Op == syntax.OpConcat {
		for i, k := 0, len(r.Sub)-1; i < k; i, k = i+1, k-1 {
			r.Sub[i], r.Sub[k] = r.Sub[k], r.Sub[i]
		}
	}
	return r
}

// relaxedTree returns a tree without counts, because counts make tables large. Counts become * or +, so the tree matches more texts.
func relaxedTree(tree *syntax.Regexp) *syntax.Regexp {
	r := withMappedChildren(tree, relaxedTree)
	if r.Op == syntax.OpRepeat {
		r.Op = syntax.OpPlus
		if r.Min == 0 {
			r.Op = syntax.OpStar
		}
	}
	return r
}

func withMappedChildren(tree *syntax.Regexp, f func(*syntax.Regexp) *syntax.Regexp) *syntax.Regexp {
	c := *tree
	c.Sub = make([]*syntax.Regexp, len(tree.Sub))
	for i, sub := range tree.Sub {
		c.Sub[i] = f(sub)
	}
	return &c
}

// isName reports whether a pattern is about the last segment of a path: (?:^|/), then no slash until $.
func isName(tree *syntax.Regexp) bool {
	last := len(tree.Sub) - 1
	if tree.Op != syntax.OpConcat || last < 1 || tree.Sub[last].Op != syntax.OpEndText {
		return false
	}
	first := tree.Sub[0]
	if first.Op != syntax.OpAlternate || len(first.Sub) != 2 || first.Sub[0].Op != syntax.OpBeginText || first.Sub[1].String() != "/" {
		return false
	}
	return !acceptsCharacter(&syntax.Regexp{Op: syntax.OpConcat, Sub: tree.Sub[1:last]}, '/')
}
