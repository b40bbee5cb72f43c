package match

import "strings"

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
				joined = append(joined, head.with(tail))
			}
		}
	}
	return joined
}

// with is a text behind this one. An end of the text may be asserted again; where anything else stands beyond an end,
// only this much is known.
func (t text) with(tail text) text {
	switch {
	case t.bytes == textStart && strings.HasPrefix(tail.bytes, textStart):
		return tail
	case strings.HasSuffix(t.bytes, textEnd) && tail.bytes == textEnd:
		return t
	case t.bytes != "" && strings.HasPrefix(tail.bytes, textStart),
		tail.bytes != "" && strings.HasSuffix(t.bytes, textEnd):
		return text{t.bytes, false}
	}
	return text{t.bytes + tail.bytes, tail.whole && len(t.bytes) < maxLiteralBytes}
}

// firstBytes are fewer texts that say less.
func firstBytes(begins []text) []text {
	var firsts []text
	seen := map[text]bool{}
	for _, t := range begins {
		first := text{start(t.bytes, 1), t.whole && len(t.bytes) < 2}
		if !seen[first] {
			seen[first] = true
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
