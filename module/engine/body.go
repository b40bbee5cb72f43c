package engine

import (
	"bytes"

	"github.com/request-guard/guard/limits"
)

// inspectBody inspects the values of a body in each reading. What cannot be inspected blocks only where the policy says
// so, because uploads must work.
func (e *evaluation) inspectBody() bool {
	types := contentTypes(e.request.Header)
	named := formatsOf(types)
	if len(named) == 0 || len(e.request.Body) == 0 {
		return false
	}
	body, isEncoded := start(e.request.Body, e.rules.policy.MaxBodyBytes), isEncoded(e.request.Header)
	formats, passes := resolved(named, body), e.rules.policy.BodyOverflow == overflowPasses
	if !isEncoded && (passes || !hasUnknownCharset(types)) && e.isBodyClean(e.request.Body, formats) {
		return false
	}
	e.words.used = 0 // a body has a separate budget
	b := &bodyInspection{evaluation: e, types: types, named: named, formats: formats, isEncoded: isEncoded}
	if b.isClear(body) {
		return false
	}
	b.inspectFormats(body)
	if b.isBlocked || passes {
		return b.isBlocked
	}
	return b.inspectOverflow()
}

// overflowPasses is the value of body_overflow with which no cause of an overflow is searched.
const overflowPasses = "pass"

type bodyInspection struct {
	*evaluation
	types    []string // Content-Type lines
	named    []format // what those lines name
	formats  []format // what the body is read as
	counted  int      // values that count towards the limit
	values   int      // inspected so far
	size     int      // bytes of these values
	isForm   bool
	hasParts bool // a multipart form has a boundary
	// isEncoded is set where the body has a Content-Encoding. Of its values, runs of text are inspected.
	isEncoded bool
	// hasUnknownPart is set where some server reads a part in a character set in which ASCII text has other bytes.
	hasUnknownPart bool
	isBlocked      bool
	isDone         bool   // blocked, or past a limit
	overflow       string // the first limit that was reached
	collects       bool   // values become texts, and are not inspected
	texts          []string
	textsBefore    int // texts that were collected before the overflow
}

func (b *bodyInspection) inspectFormats(body []byte) {
	for _, f := range b.formats {
		if b.isDone {
			break
		}
		b.isForm = f == formFormat
		b.inspect(f, body)
	}
}

func (b *bodyInspection) inspect(f format, body []byte) {
	inBatches := b.rules.interpreted != nil && b.trace == nil
	switch f {
	case formFormat:
		if inBatches {
			b.inspectTexts(formTexts(string(body)))
			if !b.isDone {
				b.inspectTexts(innerStrings(string(body)))
			}
		} else {
			eachFormValue(body, b.value)
			if !b.isDone {
				eachInnerString(string(body), b.value)
			}
		}
	case jsonFormat:
		if inBatches {
			b.inspectTexts(jsonTexts(string(body)))
		} else {
			eachJSONString(body, b.value)
		}
	case xmlFormat:
		if inBatches {
			b.inspectXML(string(body))
		} else {
			eachXMLValue(body, b.joined)
		}
	case multipartFormat:
		for _, boundary := range boundariesOf(b.types) {
			if inBatches {
				b.inspectPartsAtOnce(body, boundary)
			} else {
				b.inspectParts(body, boundary)
			}
		}
	}
}

// inspectXML inspects the values of XML in batches.
func (b *bodyInspection) inspectXML(body string) {
	values, isCut := xmlTexts(body)
	if !isCut {
		b.inspectTexts(values)
		return
	}
	last := len(values) - 1
	b.inspectTexts(values[:last])
	if !b.isDone {
		b.joined([]byte(values[last]), true)
	}
}

// inspectTexts inspects values in batches.
func (b *bodyInspection) inspectTexts(values []string) {
	if b.isEncoded {
		values = textRunsOf(values)
	}
	b.inspectValues(values)
}

// eachFormValue yields keys and values of the pairs between &, then of those of semicolonPairs.
func eachFormValue(body []byte, yield func(value []byte) bool) {
	if eachPairValue(body, yield) && bytes.IndexByte(body, ';') >= 0 {
		eachPairValue([]byte(semicolonPairs(string(body))), yield)
	}
}

// eachPairValue splits at & and the first =. It returns false when yield did.
func eachPairValue(body []byte, yield func(value []byte) bool) bool {
	for len(body) > 0 {
		var pair []byte
		pair, body, _ = bytes.Cut(body, []byte("&"))
		if len(pair) == 0 {
			continue
		}
		key, value, hasValue := bytes.Cut(pair, []byte("="))
		if !yield(key) || hasValue && !yield(value) {
			return false
		}
	}
	return true
}

// value inspects one value. It returns false when the inspection is done.
func (b *bodyInspection) value(value []byte) bool { return b.content(value, limits.BodyValueBytes) }

// content inspects at most the first bytes of a value.
func (b *bodyInspection) content(value []byte, most int) bool {
	return (b.isEncoded || b.counts(value)) && b.piece(start(value, most), len(value) > most)
}

// joined inspects a value that may have been cut before.
func (b *bodyInspection) joined(value []byte, isCut bool) bool {
	return (b.isEncoded || b.counts(value)) && b.piece(start(value, limits.BodyValueBytes), isCut || len(value) > limits.BodyValueBytes)
}

// counts counts a value that is not a word. It returns false when the inspection is done.
func (b *bodyInspection) counts(value []byte) bool {
	return len(value) == 0 || b.isWord(value) || b.charge()
}

func (b *bodyInspection) piece(text []byte, isCut bool) bool {
	if isCut {
		b.reached(OverflowValue)
	}
	return b.text(text)
}

// charge counts one value towards the limit on values. It returns false when the inspection is done.
func (b *bodyInspection) charge() bool {
	if !b.isDone && b.counted == limits.BodyValues {
		b.reached(OverflowValues)
		b.isDone = true
	}
	b.counted++
	return !b.isDone
}

// text inspects a value that needs no count. Empty values are not inspected.
func (b *bodyInspection) text(value []byte) bool {
	if b.isDone || len(value) == 0 {
		return !b.isDone
	}
	if b.isEncoded {
		return b.inspectRuns(value)
	}
	return b.whole(value)
}

// whole inspects a value that is not empty, or a run of text in one.
func (b *bodyInspection) whole(value []byte) bool {
	if b.collects {
		b.texts = append(b.texts, string(value))
		return true
	}
	b.values++
	b.size += len(value)
	b.isDone = !b.reading(value) ||
		b.isForm && bytes.IndexByte(value, '+') >= 0 && !b.reading(bytes.ReplaceAll(value, []byte("+"), []byte(" ")))
	return !b.isDone
}

func (b *bodyInspection) reading(value []byte) bool {
	b.evaluation.value.reset()
	v := &b.evaluation.value
	value = start(value, limits.BodyValueBytes)
	if b.rules.interpreted != nil {
		v.readText(&b.words, string(value), limits.BodyValueBytes)
	} else {
		v.read(&b.words, value, limits.BodyValueBytes)
	}
	limit := v.limit
	v.limit = ""
	b.isBlocked = b.evaluation.inspect("body", bodyKind, v)
	return !b.isBlocked && !b.isSpent(limit)
}

// isSpent remembers the limit of a value, and reports whether it ends the inspection of the body.
func (b *bodyInspection) isSpent(limit string) bool {
	switch {
	case limit == "":
		return false
	case limit != ReasonLimitCandidates:
	case b.words.used+limits.BodyValueBytes > limits.RequestBytes:
		b.reached(OverflowValues)
		return true
	}
	b.reached(OverflowValue)
	return false
}

// reached remembers the first limit that was reached.
func (b *bodyInspection) reached(overflow string) {
	if b.overflow == "" {
		b.overflow = overflow
		b.textsBefore = len(b.texts)
	}
}
