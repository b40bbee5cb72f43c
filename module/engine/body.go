package engine

import (
	"bytes"
	"strings"

	"github.com/request-guard/guard/limits"
)

// inspectBody inspects the values of a body. Its limits end the inspection and never block, because uploads must work.
func (e *evaluation) inspectBody() bool {
	contentType := bodyType(e.request.Header)
	f := formatOf(contentType)
	if f == noFormat {
		return false
	}
	e.words.used = 0 // a body has a budget of its own
	b := &bodyInspection{evaluation: e, isForm: f == formFormat}
	b.inspect(f, contentType, start(e.request.Body, e.rules.policy.MaxBodyBytes))
	return b.isBlocked
}

// bodyType is the Content-Type of a body that stands as it is, the first if there are several; empty: none, or encoded.
func bodyType(header map[string][]string) string {
	for _, encoding := range valuesOf(header, "content-encoding", exactly) {
		if encoding = lower(strings.Trim(encoding, " \t\n\v\f\r")); encoding != "" && encoding != "identity" {
			return ""
		}
	}
	for _, contentType := range valuesOf(header, "content-type", exactly) {
		return contentType
	}
	return ""
}

// format is how the values of a body are found.
type format uint8

const (
	noFormat format = iota // such bodies are not inspected
	formFormat
	jsonFormat
	multipartFormat
)

// formatOf is the format of a media type.
func formatOf(contentType string) format {
	name, _, _ := strings.Cut(contentType, ";")
	switch name = lower(strings.Trim(name, " \t")); {
	case name == "application/x-www-form-urlencoded":
		return formFormat
	case name == "application/json" || strings.HasSuffix(name, "+json"): // Traefik's interpreter reads one condition a case
		return jsonFormat
	case name == "multipart/form-data":
		return multipartFormat
	}
	return noFormat
}

type bodyInspection struct {
	*evaluation
	count     int // of values
	isForm    bool
	isBlocked bool
	isDone    bool // enough has been seen
}

func (b *bodyInspection) inspect(f format, contentType string, body []byte) {
	inBatches := b.rules.sieve != nil && b.trace == nil
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
	b.isDone = b.count == limits.BodyValues
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
	if b.rules.sieve != nil {
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
