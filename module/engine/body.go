package engine

import (
	"bytes"

	"github.com/request-guard/guard/limits"
)

// inspectBody inspects the values of a body in each reading. Its limits end the inspection and never block, because
// uploads must work.
func (e *evaluation) inspectBody() bool {
	types := bodyTypes(e.request.Header)
	formats := formatsOf(types)
	if len(formats) == 0 {
		return false
	}
	e.words.used = 0 // a body has a separate budget
	b := &bodyInspection{evaluation: e}
	body := start(e.request.Body, e.rules.policy.MaxBodyBytes)
	for _, f := range formats {
		if b.isDone {
			break
		}
		b.isForm = f == formFormat
		b.inspect(f, types, body)
	}
	return b.isBlocked
}

type bodyInspection struct {
	*evaluation
	count     int // of values inspected so far
	isForm    bool
	isBlocked bool
	isDone    bool // blocked, or past a limit
}

func (b *bodyInspection) inspect(f format, types []string, body []byte) {
	inBatches := b.rules.interpreted != nil && b.trace == nil
	switch f {
	case formFormat:
		if inBatches {
			b.inspectForm(string(body))
		} else {
			eachFormValue(body, b.value)
		}
	case jsonFormat:
		if inBatches {
			b.inspectValues(jsonTexts(string(body)))
		} else {
			eachJSONString(body, b.value)
		}
	case multipartFormat:
		for _, boundary := range boundariesOf(types) {
			eachPartValue(body, boundary, b.value)
		}
	}
}

// eachFormValue yields keys and values, split at & and the first =.
func eachFormValue(body []byte, yield func(value []byte) bool) {
	for len(body) > 0 {
		var pair []byte
		pair, body, _ = bytes.Cut(body, []byte("&"))
		if len(pair) == 0 {
			continue
		}
		key, value, hasValue := bytes.Cut(pair, []byte("="))
		if !yield(key) || hasValue && !yield(value) {
			return
		}
	}
}

// value inspects one value. It returns false when the inspection is done.
func (b *bodyInspection) value(value []byte) bool {
	b.isDone = b.isDone || b.count == limits.BodyValues // an earlier reading may have reached the limit
	if b.isDone {
		return false
	}
	b.count++
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
	isSpent := limit == ReasonLimitCandidates && b.words.used+limits.BodyValueBytes > limits.RequestBytes
	return !b.isBlocked && !isSpent
}
