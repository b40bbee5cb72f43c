package match

import "strings"

// maxJoined bounds the parts that are joined to one literal. Without it, a pattern such as a?b?c? would take quadratic time.
const maxJoined = 10

// joinAll returns the facts of consecutive parts. It tries the literals that begin at each part.
func (x extractor) joinAll(parts []facts) facts {
	all := facts{begins: []text{{"", true}}}
	for i, part := range parts {
		if part.required != nil && (all.required == nil || x.cost(part.required) < x.cost(all.required)) {
			all.required = part.required
		}
		run := []text{{"", true}}
		for k, next := range parts[i:] {
			joined := x.join(run, next.begins)
			if joined == nil || k == maxJoined {
				run = asBeginnings(run)
				break
			}
			run = joined
			all.required = x.rarerLiterals(all.required, run)
		}
		if i == 0 {
			all.begins = run
		}
	}
	return all
}

// join returns each whole head followed by each tail, and the other heads. It returns nil if no head is whole, or if
// the list would be too long.
func (x extractor) join(heads, tails []text) []text {
	var joined []text
	whole := 0
	for _, head := range heads {
		if head.whole {
			whole++
		} else {
			joined = append(joined, head)
		}
	}
	for i := 0; i < len(x.cuts) && len(joined)+whole*len(tails) > x.most; i++ {
		tails = firstBytes(tails, x.cuts[i])
	}
	if whole == 0 || len(joined)+whole*len(tails) > x.most {
		return nil
	}
	for _, head := range heads {
		for _, tail := range tails {
			if head.whole {
				joined = append(joined, head.followedBy(tail))
			}
		}
	}
	return joined
}

// followedBy joins two texts. If bytes would follow TextEnd or precede TextStart, it returns the
// first text with whole unset.
func (t text) followedBy(tail text) text {
	switch {
	case t.bytes == TextStart && strings.HasPrefix(tail.bytes, TextStart):
		return tail
	case strings.HasSuffix(t.bytes, TextEnd) && tail.bytes == TextEnd:
		return t
	case t.bytes != "" && strings.HasPrefix(tail.bytes, TextStart),
		tail.bytes != "" && strings.HasSuffix(t.bytes, TextEnd):
		return text{t.bytes, false}
	}
	return text{t.bytes + tail.bytes, tail.whole && len(t.bytes) < maxLiteralBytes}
}

// firstBytes returns the distinct first n bytes of the texts.
func firstBytes(begins []text, n int) []text {
	var firsts []text
	seen := map[text]bool{}
	for _, t := range begins {
		first := text{prefixOf(t.bytes, n), t.whole && len(t.bytes) <= n}
		if !seen[first] {
			seen[first] = true
			firsts = append(firsts, first)
		}
	}
	return firsts
}

// asBeginnings returns the same texts as beginnings: none of them is whole.
func asBeginnings(begins []text) []text {
	open := make([]text, len(begins))
	for i, t := range begins {
		open[i] = text{t.bytes, false}
	}
	return open
}
