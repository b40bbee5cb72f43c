package match

import "strings"

// maxJoined bounds how many consecutive parts one literal spans. A literal ends at maxLiteralBytes, but parts that may be absent, as
// in a?b?c?, add no bytes: without a bound the time would grow with the square of their number.
const maxJoined = 10

// joinAll returns the facts of parts that follow one another. From each part on it joins the beginnings of parts, as long as a result
// is whole.
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
				run = opened(run)
				break
			}
			run = joined
			all.required = x.rarer(all.required, run)
		}
		if i == 0 {
			all.begins = run
		}
	}
	return all
}

// join returns each whole head with each tail, and the other heads. It returns nil where no head is whole, or where there would be too
// many texts.
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
				joined = append(joined, head.with(tail))
			}
		}
	}
	return joined
}

// with returns the text followed by another. A mark of an end that is followed by the same mark stays one mark. Where anything else
// follows the mark of the end, or precedes that of the start, the result is cut there and not whole.
func (t text) with(tail text) text {
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
		first := text{start(t.bytes, n), t.whole && len(t.bytes) <= n}
		if !seen[first] {
			seen[first] = true
			firsts = append(firsts, first)
		}
	}
	return firsts
}

// opened returns the texts, none of them whole: something unknown follows each.
func opened(begins []text) []text {
	open := make([]text, len(begins))
	for i, t := range begins {
		open[i] = text{t.bytes, false}
	}
	return open
}
