package engine

import (
	"bytes"

	"github.com/request-guard/guard/limits"
)

// scan searches all values of a body together, if the rule set has steps. It reports whether nothing remains to inspect: no rule
// matches a value, and the policy does not block for limits.
func (b *bodyInspection) scan(body []byte) bool {
	if b.rules.steps == nil || b.trace != nil || b.isEncoded {
		return false
	}
	c := *b // b stays unchanged, because the values may also be inspected one by one
	c.collected = map[string]bool{}
	c.inspectFormats(body)
	clean, isClean := b.rules.steps.Scan(c.texts)
	b.scanned = clean
	return isClean && b.rules.policy.BodyOverflow == overflowPasses
}

// collect adds a value to the texts to scan, and the form in which a plus is a space.
func (b *bodyInspection) collect(value []byte) bool {
	b.collectText(string(value))
	if b.isForm && bytes.IndexByte(value, '+') >= 0 {
		b.collectText(string(bytes.ReplaceAll(value, []byte("+"), []byte(" "))))
	}
	return !b.isDone
}

func (b *bodyInspection) collectText(text string) {
	if text != "" && !b.collected[text] {
		b.collected[text] = true
		b.texts = append(b.texts, text)
	}
}

// isClean reports whether the scan found that no rule matches a text, and whether the budget has room for its candidates. If so, it
// counts them, and returns the limit that ended them.
func (b *bodyInspection) isClean(text []byte) (limit string, isClean bool) {
	s, isClean := b.scanned[string(text)]
	if !isClean || b.buffers.used+s.Size > limits.RequestBytes {
		return "", false
	}
	b.buffers.used += s.Size
	return s.Limit, true
}
