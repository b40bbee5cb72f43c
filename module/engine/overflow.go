package engine

import (
	"bytes"
	"regexp"
	"strings"
)

// inspectOverflow blocks the request if a part of the body was not inspected, and reports whether it blocked.
func (b *bodyInspection) inspectOverflow() bool {
	overflow := b.overflowCause()
	if overflow == "" {
		return false
	}
	b.exceedLimit("body", bodyKind, ReasonLimitBody)
	b.verdict.Overflow, b.verdict.InspectedBytes, b.verdict.InspectedValues = overflow, b.size, b.values
	return true
}

// overflowCause returns why a part of the body was not inspected. It returns "" if the whole body was inspected.
func (b *bodyInspection) overflowCause() string {
	switch body := b.request.Body; {
	case b.isEncoded:
		return OverflowEncoding
	case len(b.formats) > 0 && len(body) > b.rules.policy.MaxBodyBytes:
		return OverflowLength
	case b.hasUnknownPart || hasUnknownCharset(b.types):
		return OverflowCharset
	case b.isMalformed(body):
		return OverflowMalformed
	}
	return b.overflow
}

// isMalformed reports whether a server may find values in the body that the guard does not find.
func (b *bodyInspection) isMalformed(body []byte) bool {
	if hasFormat(b.named, jsonFormat) && !isJSON(bytes.TrimPrefix(body, []byte(ByteOrderMark))) {
		return true
	}
	if hasFormat(b.named, xmlFormat) && !b.isXML(body) {
		return true
	}
	if !hasFormat(b.formats, multipartFormat) || b.hasParts {
		return false
	}
	for _, boundary := range boundariesOf(b.types) {
		if bytes.Contains(body, []byte("--"+boundary)) {
			return false
		}
	}
	return true
}

func (b *bodyInspection) isXML(body []byte) bool {
	if b.rules.steps != nil {
		return b.rules.steps.IsXML(string(body))
	}
	return isXML(body)
}

// IsASCIICharset reports whether a character set is in asciiCharsets: these sets encode ASCII text as its ASCII bytes.
func IsASCIICharset(name string) bool { return hasText(asciiCharsets, lower(name)) }

// hasUnknownCharset reports whether Content-Type lines name a character set outside of asciiCharsets, or can name one because they
// are too long to parse, split the name, or have too many values.
func hasUnknownCharset(types []string) bool {
	if areTooLong(types) {
		return true
	}
	names, isComplete := parameterValues(types, "charset", false)
	for _, name := range names {
		if !IsASCIICharset(name) {
			return true
		}
	}
	return !isComplete
}

// noEncoding matches the values of Content-Encoding, each followed by a NUL, if none of them names an encoding.
var noEncoding = regexp.MustCompile(`^(?:[ \t\n\v\f\r]*(?:(?i:identity)[ \t\n\v\f\r]*)?\x00)*$`)

// isEncoded reports whether a header names a Content-Encoding. A client may send many lines, so one call matches all of them.
func isEncoded(header map[string][]string) bool {
	lines := header["Content-Encoding"]
	return len(lines) > 0 && !noEncoding.MatchString(strings.Join(lines, "\x00")+"\x00")
}
