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
	if !b.isScanned(body) {
		b.inspectFormats(body)
	}
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
	collects       bool   // values become texts, and are neither counted nor inspected
	texts          []string
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
	switch f {
	case formFormat:
		b.inspectForm(body)
	case jsonFormat:
		b.inspectJSON(body)
	case xmlFormat:
		b.inspectXML(body)
	case multipartFormat:
		for _, boundary := range boundariesOf(b.types) {
			b.inspectParts(body, boundary)
		}
	}
}

func (b *bodyInspection) inspectForm(body []byte) {
	if b.rules.steps != nil {
		b.valuesOf(b.rules.steps.Form(string(body)), false)
	} else {
		eachFormValue(body, b.value)
	}
	if !b.isDone {
		eachInnerString(string(body), b.value)
	}
}

func (b *bodyInspection) inspectJSON(body []byte) {
	if b.rules.steps != nil {
		if values, isFound := b.rules.steps.JSON(string(body)); isFound {
			b.valuesOf(values, false)
			return
		}
	}
	eachJSONString(body, b.value)
}

func (b *bodyInspection) inspectXML(body []byte) {
	if b.rules.steps != nil {
		values, isCut := b.rules.steps.XML(string(body))
		b.valuesOf(values, isCut)
	} else {
		eachXMLValue(body, b.joined)
	}
}

// valuesOf inspects values, of which the last may have been cut.
func (b *bodyInspection) valuesOf(values []string, isCut bool) {
	last := len(values) - 1
	for i := 0; i <= last && !b.isDone; i++ {
		b.joined([]byte(values[i]), isCut && i == last)
	}
}

// eachFormValue yields keys and values of the pairs between &, then of those of SemicolonPairs.
func eachFormValue(body []byte, yield func(value []byte) bool) {
	if eachPairValue(body, yield) && bytes.IndexByte(body, ';') >= 0 {
		eachPairValue([]byte(SemicolonPairs(string(body))), yield)
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
	if b.collects {
		return b.collect(value, most, len(value) > most)
	}
	return (b.isEncoded || b.counts(value)) && b.piece(start(value, most), len(value) > most)
}

// joined inspects a value that may have been cut before.
func (b *bodyInspection) joined(value []byte, isCut bool) bool {
	if b.collects {
		return b.collect(value, limits.BodyValueBytes, isCut || len(value) > limits.BodyValueBytes)
	}
	return (b.isEncoded || b.counts(value)) && b.piece(start(value, limits.BodyValueBytes), isCut || len(value) > limits.BodyValueBytes)
}

// counts counts a value that is not a word. It returns false when the inspection is done.
func (b *bodyInspection) counts(value []byte) bool {
	return len(value) == 0 || b.rules.isWord(value) || b.charge()
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
	if b.collects {
		return b.collect(value, limits.BodyValueBytes, false)
	}
	if b.isEncoded {
		return b.inspectRuns(value)
	}
	return b.whole(value)
}

// whole inspects a value that is not empty, or a run of text in one.
func (b *bodyInspection) whole(value []byte) bool {
	b.values++
	b.size += len(value)
	b.isDone = !b.reading(value) ||
		b.isForm && bytes.IndexByte(value, '+') >= 0 && !b.reading(bytes.ReplaceAll(value, []byte("+"), []byte(" ")))
	return !b.isDone
}

func (b *bodyInspection) reading(value []byte) bool {
	b.evaluation.value.reset()
	v := &b.evaluation.value
	b.read(v, start(value, limits.BodyValueBytes), limits.BodyValueBytes)
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
	}
}
