package engine

import (
	"strings"

	"github.com/request-guard/guard/limits"
)

// isScanned reports whether the values of a body, read at once, show that none of them blocks it. An interpreter takes much longer
// for one value after the other. A scan of a body with other values finds which of their candidates a rule matches. The runs of text
// in an encoded body are few, and are not scanned.
func (b *bodyInspection) isScanned(body []byte) bool {
	if b.rules.steps == nil || b.trace != nil || b.isEncoded {
		return false
	}
	c := *b
	c.collects = true
	c.inspectFormats(body)
	scan := b.rules.steps.Scan(c.texts, hasFormat(b.formats, formFormat))
	if scan == nil {
		return false
	}
	b.matched = scan.Matched
	if len(scan.Matched) > 0 {
		return false
	}
	if b.rules.policy.BodyOverflow == overflowPasses {
		return true
	}
	// Where all candidates are within the limit of one value, no value and no body reaches a limit of its bytes.
	if c.counted+scan.NotWords > limits.BodyValues || !scan.IsWhole || scan.Size > limits.ViewBytes {
		return false
	}
	c.collects = false
	c.values = len(c.texts)
	c.size = len(strings.Join(c.texts, ""))
	*b = c
	return true
}

// collect adds at most the first bytes of a value to the texts that are scanned.
func (b *bodyInspection) collect(value []byte, most int, isCut bool) bool {
	if isCut {
		b.reached(OverflowValue)
		value = start(value, most)
	}
	if len(value) > 0 {
		b.texts = append(b.texts, string(value))
	}
	return true
}
