package engine

import (
	"strings"

	"github.com/request-guard/guard/limits"
)

// isScanned inspects all values of a body at once, where the policy has steps: an interpreter takes much longer for one value after
// the other. It reports whether that decided the body. Otherwise matched has the candidates that a rule matches, for the inspection
// of each value. Encoded bodies are not scanned, because they have few runs of text.
func (b *bodyInspection) isScanned(body []byte) bool {
	if b.rules.steps == nil || b.trace != nil || b.isEncoded {
		return false
	}
	c := *b // b remains as it was, for the inspection of each value
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
	// Where the candidates of all values together are within the limit of one value, no limit on bytes is reached.
	if c.counted+scan.NotWords > limits.BodyValues || !scan.IsWhole || scan.Size > limits.ViewBytes {
		return false
	}
	c.collects = false
	c.values = len(c.texts)
	c.size = len(strings.Join(c.texts, ""))
	*b = c
	return true
}

const (
	// batchBytes is the size of the values at which a batch ends. A value has up to some 130 readings, so a batch takes a quarter of
	// the budget of a request.
	batchBytes = 512
	// mostScanned bounds a batch that is inspected at once. A larger one ends in a long value, which probably reaches a limit.
	mostScanned = 8 * batchBytes
)

// isReadInBatches inspects the collected values in batches, where there are too many for one scan. It returns false, without having
// inspected any, for bodies where only the inspection of each value gives the right verdict.
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
		if len(scan.Matched) == 0 && scan.Size <= limits.ViewBytes && b.buffers.used+scan.Size <= limits.RequestBytes &&
			b.counted+scan.NotWords <= limits.BodyValues {
			b.buffers.used += scan.Size
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
