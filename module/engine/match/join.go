package match

import "strings"

// maxJoined bounds the parts that follow one another in literals. Parts that may be absent, as in a?b?c?, add no bytes that would end
// a literal, so that the time would grow with the square of their number.
const maxJoined = 10

// joinAll concatenates what the parts begin with, as long as one of the results is a whole text.
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
			all.required = x.better(all.required, run)
		}
		if i == 0 {
			all.begins = run
		}
	}
	return all
}

// join returns nil where nothing can be joined, or where there would be too many.
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

// with appends a text. The end of a text may be asserted twice. Where anything else follows an end, the text ends
// there.
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

// firstBytes is a shorter list of texts of at most n bytes.
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

// opened returns the same texts, each followed by something unknown.
func opened(begins []text) []text {
	open := make([]text, len(begins))
	for i, t := range begins {
		open[i] = text{t.bytes, false}
	}
	return open
}
