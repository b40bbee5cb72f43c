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
	scan := b.rules.steps.Scan(c.texts, hasFormat(b.formats, formFormat), false)
	if scan == nil {
		return b.isReadInBatches(&c)
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

// batchBytes bounds the values of a batch. Each has up to some 130 readings, so that a batch takes a quarter of the budget of a request.
const (
	batchBytes  = 512
	mostScanned = 8 * batchBytes // with a long value at the end, which is likely to reach the limit of a value
)

// isReadInBatches inspects the values that were collected, where there is too much to read at once, several at a time. It returns
// false where only the inspection of each value decides the same.
func (b *bodyInspection) isReadInBatches(collected *bodyInspection) bool {
	if b.rules.policy.BodyOverflow != overflowPasses || len(b.formats) > 1 || b.formats[0] == multipartFormat {
		return false
	}
	b.isForm = b.formats[0] == formFormat
	first, size := 0, 0
	for i, value := range collected.texts {
		size += len(value)
		if size >= batchBytes || i == len(collected.texts)-1 {
			b.batch(collected.texts[first:i+1], size)
			first, size = i+1, 0
		}
		if b.isDone {
			break
		}
	}
	return true
}

// batch inspects values at once where none of them blocks and none reaches a limit, otherwise one by one.
func (b *bodyInspection) batch(values []string, size int) {
	b.matched = nil
	if size > mostScanned {
		b.valuesOf(values, false)
		return
	}
	if scan := b.rules.steps.Scan(values, b.isForm, true); scan != nil {
		b.matched = scan.Matched
		if len(scan.Matched) == 0 && scan.Size <= limits.ViewBytes && b.words.used+scan.Size <= limits.RequestBytes &&
			b.counted+scan.NotWords <= limits.BodyValues {
			b.words.used += scan.Size
			b.counted += scan.NotWords
			return
		}
	}
	b.valuesOf(values, false)
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
