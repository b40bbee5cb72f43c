package engine

import "github.com/request-guard/guard/limits"

// inspectPartsAtOnce is inspectParts for an interpreter: it collects the values of all parts, reads those of a batch at once and
// matches all at once.
func (b *bodyInspection) inspectPartsAtOnce(body []byte, boundary string) {
	c := *b
	c.collects, c.overflow = true, ""
	c.inspectParts(body, boundary)
	b.counted, b.hasParts, b.hasUnknownPart = c.counted, c.hasParts, c.hasUnknownPart
	b.inspectCollected(&c)
	b.isDone = b.isDone || c.isDone
}

// inspectCollected inspects what was collected. A limit counts where it was reached: one that ends the inspection before comes first.
func (b *bodyInspection) inspectCollected(c *bodyInspection) {
	var lines []string
	for at := 0; at < len(c.texts) && !b.isDone; {
		batch := c.texts[at : at+bodyBatchSize(c.texts[at:])]
		b.readAtOnce(batch, false)
		for i := 0; i < len(batch) && !b.isDone; i++ {
			if c.overflow != "" && at+i == c.textsBefore {
				b.reached(c.overflow)
			}
			lines = b.readCollected(lines, batch[i])
		}
		at += len(batch)
	}
	if c.overflow != "" && !b.isDone {
		b.reached(c.overflow)
	}
	b.inspectGathered(lines)
}

// readCollected appends the candidates of a text that is counted already.
func (b *bodyInspection) readCollected(lines []string, text string) []string {
	if b.takesWord(text) {
		return append(lines, text)
	}
	b.values++
	b.size += len(text)
	if len(text) > limits.BodyValueBytes {
		text = text[:limits.BodyValueBytes]
	}
	return b.readingTo(lines, text)
}
