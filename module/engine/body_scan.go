package engine

import (
	"strings"

	"github.com/request-guard/guard/limits"
)

// isScanned inspects all values of a body at once if the policy has steps. It returns false if the values must also be inspected
// one by one; b.matched then has the candidates that a rule matches.
func (b *bodyInspection) isScanned(body []byte) bool {
	if b.rules.steps == nil || b.trace != nil || b.isEncoded {
		return false
	}
	c := *b // b stays unchanged, in case the values must be inspected one by one
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
	// If the candidates of all values together fit into the limit of one value, no limit on bytes is reached.
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
	// batchBytes is the size of its values at which a batch ends. A value has up to 130 readings, so the candidates of a batch have
	// at most about a quarter of limits.RequestBytes.
	batchBytes = 512
	// mostScanned is the maximum size of a batch that is inspected at once. In a larger batch the last value is long and
	// probably reaches a limit, so the values are inspected one by one.
	mostScanned = 8 * batchBytes
)

// isReadInBatches inspects collected values in batches. It returns false where the policy needs overflows, which
// batches do not report, or where the values have several formats.
func (b *bodyInspection) isReadInBatches(collected *bodyInspection) bool {
	if b.rules.policy.BodyOverflow != overflowPasses || len(b.formats) > 1 || b.formats[0] == multipartFormat {
		return false
	}
	b.isForm = b.formats[0] == formFormat
	first, size := 0, 0
	for i, value := range collected.texts {
		size += len(value)
		if size >= batchBytes || i == len(collected.texts)-1 {
			b.inspectBatch(collected.texts[first:i+1], size)
			first, size = i+1, 0
		}
		if b.isDone {
			break
		}
	}
	return true
}

// inspectBatch inspects values at once. If one of them may block or reach a limit, it inspects them one by one.
func (b *bodyInspection) inspectBatch(values []string, size int) {
	b.matched = nil
	if size > mostScanned {
		b.inspectValues(values, false)
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
	b.inspectValues(values, false)
}

func (b *bodyInspection) collect(value []byte, most int, isCut bool) bool {
	if isCut {
		b.recordOverflow(OverflowValue)
		value = prefixOf(value, most)
	}
	if len(value) > 0 {
		b.texts = append(b.texts, string(value))
	}
	return true
}
