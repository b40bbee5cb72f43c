package engine

import (
	"bytes"
	"strings"

	"github.com/request-guard/guard/limits"
)

// inspectBody inspects the values of a body. Its limits end the inspection and never block, because uploads must work.
func (e *evaluation) inspectBody() bool {
	header := e.request.Header
	for _, encoding := range valuesOf(header, "content-encoding", exactly) {
		if encoding = lower(strings.Trim(encoding, " \t\n\v\f\r")); encoding != "" && encoding != "identity" {
			return false
		}
	}
	types := valuesOf(header, "content-type", exactly)
	if len(types) == 0 {
		return false
	}
	e.words.used = 0 // a body has a budget of its own
	b := &bodyInspection{evaluation: e}
	b.inspect(types[0], start(e.request.Body, e.rules.policy.MaxBodyBytes))
	return b.isBlocked
}

type bodyInspection struct {
	*evaluation
	count     int // of values
	isForm    bool
	isBlocked bool
}

func (b *bodyInspection) inspect(contentType string, body []byte) {
	name, _, _ := strings.Cut(contentType, ";")
	switch name = lower(strings.Trim(name, " \t")); {
	case name == "application/x-www-form-urlencoded":
		b.isForm = true
		eachFormValue(body, b.value)
	case name == "application/json", strings.HasSuffix(name, "+json"):
		eachJSONString(body, b.value)
	case name == "multipart/form-data":
		boundary := contentTypeStyle.parse([]byte(contentType))["boundary"]
		if 0 < len(boundary) && len(boundary) <= limits.MultipartBoundaryBytes {
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

// value inspects one value; false: enough has been seen.
func (b *bodyInspection) value(value []byte) bool {
	if b.count == limits.BodyValues {
		return false
	}
	b.count++
	if !b.reading(value) {
		return false
	}
	return !b.isForm || bytes.IndexByte(value, '+') < 0 || b.reading(b.words.spaced(value))
}

func (b *bodyInspection) reading(value []byte) bool {
	b.evaluation.value.reset()
	v := &b.evaluation.value
	v.read(&b.words, start(value, limits.BodyValueBytes), limits.BodyValueBytes)
	limit := v.limit
	v.limit = ""
	b.isBlocked = b.evaluation.inspect("body", bodyKind, v)
	isSpent := limit == ReasonLimitCandidates && b.words.used+limits.BodyValueBytes > limits.RequestBytes
	return !b.isBlocked && !isSpent
}
