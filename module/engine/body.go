package engine

import (
	"bytes"

	"github.com/request-guard/guard/limits"
)

// inspectBody inspects the values of a body in each format in which some server reads it. It reports whether the request is blocked.
func (e *evaluation) inspectBody() bool {
	types := e.request.Header["Content-Type"]
	named := formatsOf(types)
	if len(named) == 0 || len(e.request.Body) == 0 {
		return false
	}
	body, isEncoded := prefixOf(e.request.Body, e.rules.policy.MaxBodyBytes), isEncoded(e.request.Header)
	formats, passes := resolveFormats(named, body), e.rules.policy.BodyOverflow == overflowPasses
	if !isEncoded && (passes || !hasUnknownCharset(types)) && e.isBodyClean(e.request.Body, formats) {
		return false
	}
	e.buffers.used = 0 // the candidates of a body have a separate budget
	b := &bodyInspection{evaluation: e, types: types, named: named, formats: formats, isEncoded: isEncoded}
	if !b.scan(body) {
		b.inspectFormats(body)
	}
	if b.isBlocked || passes {
		return b.isBlocked
	}
	return b.inspectOverflow()
}

const overflowPasses = "pass"

type bodyInspection struct {
	*evaluation
	types    []string // Content-Type lines
	named    []format // formats that those lines name
	formats  []format // formats that the body is read as
	counted  int      // number of values that count towards limits.BodyValues
	values   int      // number of inspected values
	size     int      // number of bytes of the inspected values
	isForm   bool     // the current format is a form, in which a plus is also read as a space
	hasParts bool     // the body contains a boundary of a multipart form
	fields   [][]byte // contents of fields that are JSON
	// isEncoded is set where the body has a Content-Encoding. Only runs of text in its values are inspected.
	isEncoded bool
	// hasUnknownPart is set if a part of a form may have a character set outside of asciiCharsets.
	hasUnknownPart bool
	isBlocked      bool
	isDone         bool               // the request is blocked, or a limit ended the inspection
	overflow       string             // the first limit that was reached
	texts          []string           // values to scan
	collected      map[string]bool    // set of texts; nil: values are inspected, not collected
	scanned        map[string]Scanned // texts that no rule matches
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
		b.eachNestedString([][]byte{body}, b.eachJSONValue, b.inspectBodyValue)
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
		b.inspectValues(b.rules.steps.Form(string(body)), false)
	} else {
		eachFormValue(body, b.inspectBodyValue)
	}
	if !b.isDone {
		b.eachInnerString(string(body), b.inspectBodyValue)
	}
}

// eachJSONValue is like eachJSONString, but uses the steps of an interpreted program. It then skips empty strings.
func (b *bodyInspection) eachJSONValue(text []byte, yield func(value []byte) bool) bool {
	if b.rules.steps != nil {
		if values, isFound := b.rules.steps.JSON(string(text)); isFound {
			for i := range values {
				if !yield([]byte(values[i])) {
					return false
				}
			}
			return true
		}
	}
	return eachJSONString(text, yield)
}

func (b *bodyInspection) inspectXML(body []byte) {
	if b.rules.steps != nil {
		values, isCut := b.rules.steps.XML(string(body))
		b.inspectValues(values, isCut)
	} else {
		eachXMLValue(body, b.inspectPossiblyCut)
	}
}

// inspectValues inspects values in order. isCut means that the last one is incomplete.
func (b *bodyInspection) inspectValues(values []string, isCut bool) {
	last := len(values) - 1
	for i := 0; i <= last && !b.isDone; i++ {
		b.inspectPossiblyCut([]byte(values[i]), isCut && i == last)
	}
}

// eachFormValue yields the keys and values of the pairs between &, then of the pairs that SemicolonPairs returns.
func eachFormValue(body []byte, yield func(value []byte) bool) {
	if eachPairValue(body, yield) && bytes.IndexByte(body, ';') >= 0 {
		eachPairValue([]byte(SemicolonPairs(string(body))), yield)
	}
}

// eachPairValue yields the key and the value of each pair, and file=<value> where isFilePair is true. Pairs end at &, and a value begins
// after the first = of its pair. It returns false if yield returned false.
func eachPairValue(body []byte, yield func(value []byte) bool) bool {
	for len(body) > 0 {
		var pair []byte
		pair, body, _ = bytes.Cut(body, []byte("&"))
		if len(pair) == 0 {
			continue
		}
		key, value, hasValue := bytes.Cut(pair, []byte("="))
		if !yield(key) || hasValue && !yield(value) || isFilePair(string(pair)) && !yield([]byte(filePairStart+string(value))) {
			return false
		}
	}
	return true
}

func (b *bodyInspection) inspectBodyValue(value []byte) bool {
	return b.inspectAtMost(value, limits.BodyValueBytes, false)
}

// inspectPossiblyCut inspects a value. isCut means that it is incomplete.
func (b *bodyInspection) inspectPossiblyCut(value []byte, isCut bool) bool {
	return b.inspectAtMost(value, limits.BodyValueBytes, isCut)
}

func (b *bodyInspection) inspectAtMost(value []byte, most int, isCut bool) bool {
	isCut = isCut || len(value) > most
	if b.collected != nil {
		return b.collect(prefixOf(value, most))
	}
	if !b.isEncoded && !b.countValue(value) {
		return false
	}
	if isCut {
		b.recordOverflow(OverflowValue)
	}
	return b.inspectUncounted(prefixOf(value, most))
}

func (b *bodyInspection) countValue(value []byte) bool {
	return len(value) == 0 || b.rules.isWord(value) || b.countOne()
}

func (b *bodyInspection) countOne() bool {
	if !b.isDone && b.counted == limits.BodyValues {
		b.recordOverflow(OverflowValues)
		b.isDone = true
	}
	b.counted++
	return !b.isDone
}

func (b *bodyInspection) inspectUncounted(value []byte) bool {
	if b.isDone || len(value) == 0 {
		return !b.isDone
	}
	if b.collected != nil {
		return b.collect(prefixOf(value, limits.BodyValueBytes))
	}
	if b.isEncoded {
		return b.inspectRuns(value)
	}
	return b.inspectWhole(value)
}

// inspectWhole inspects a non-empty value or, in an encoded body, a run of text of a value.
func (b *bodyInspection) inspectWhole(value []byte) bool {
	b.values++
	b.size += len(value)
	b.isDone = !b.inspectText(value) ||
		b.isForm && bytes.IndexByte(value, '+') >= 0 && !b.inspectText(bytes.ReplaceAll(value, []byte("+"), []byte(" ")))
	return !b.isDone
}

func (b *bodyInspection) inspectText(value []byte) bool {
	value = prefixOf(value, limits.BodyValueBytes)
	if limit, isClean := b.isClean(value); isClean {
		return !b.isSpent(limit)
	}
	b.evaluation.value.reset()
	v := &b.evaluation.value
	b.read(v, value, limits.BodyValueBytes, bodyKind)
	limit := v.limit
	v.limit = ""
	b.isBlocked = b.evaluation.inspect("body", bodyKind, v)
	return !b.isBlocked && !b.isSpent(limit)
}

// isSpent records the limit that a value reached (empty: none), and reports whether the budget of the body is spent.
func (b *bodyInspection) isSpent(limit string) bool {
	switch {
	case limit == "":
		return false
	case limit != ReasonLimitCandidates:
	case b.buffers.used+limits.BodyValueBytes > limits.RequestBytes:
		b.recordOverflow(OverflowValues)
		return true
	}
	b.recordOverflow(OverflowValue)
	return false
}

func (b *bodyInspection) recordOverflow(overflow string) {
	if b.overflow == "" {
		b.overflow = overflow
	}
}
