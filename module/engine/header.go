package engine

import (
	"sort"
	"strings"

	"github.com/request-guard/guard/limits"
)

// inspectedHeader is a header of the policy.
type inspectedHeader struct {
	name   string // lower case, with dashes
	target string // as in verdicts
}

func headersOf(names []string) []inspectedHeader {
	headers := make([]inspectedHeader, len(names))
	for i, name := range names {
		headers[i] = inspectedHeader{name: strings.ReplaceAll(lower(name), "_", "-"), target: "header:" + lower(name)}
	}
	return headers
}

// inspectHeaders inspects the value of each header as a target, and reports whether one is blocked.
func (e *evaluation) inspectHeaders() bool {
	for _, h := range e.rules.headers {
		for _, value := range valuesOf(e.request.Header, h.name, dashed) {
			value = strings.Trim(value, " \t")
			if value != "" && e.inspectHeader(h.target, value) {
				return true
			}
		}
	}
	return false
}

func (e *evaluation) inspectHeader(target, value string) bool {
	if len(value) > limits.HeaderBytes {
		e.traceLimit(target, pathKind, ReasonLimitLength)
		return e.inspectLimit(target, ReasonLimitLength)
	}
	path, query, hasQuery := splitTarget(value)
	return e.inspectValue(target, pathKind, path, limits.HeaderBytes) ||
		hasQuery && e.rules.policy.CheckQuery && e.inspectQuery(target, query)
}

// valuesOf returns the values of a header; name is in the form that spelling makes. Values of names with dashes come
// first, because servers that read underscores as dashes prefer them.
func valuesOf(header map[string][]string, name string, spelling func(c byte) byte) []string {
	var spellings []string
	for spelt := range header {
		if isSpelt(spelt, name, spelling) {
			spellings = append(spellings, spelt)
		}
	}
	sort.Slice(spellings, func(a, b int) bool {
		x, y := strings.Contains(spellings[a], "_"), strings.Contains(spellings[b], "_")
		return x == y && spellings[a] < spellings[b] || !x && y
	})
	var values []string
	for _, spelt := range spellings {
		values = append(values, header[spelt]...)
	}
	return values
}

func isSpelt(spelt, name string, spelling func(c byte) byte) bool {
	if len(spelt) != len(name) {
		return false
	}
	for i := 0; i < len(spelt); i++ {
		if spelling(spelt[i]) != name[i] {
			return false
		}
	}
	return true
}

// exactly ignores only case (RFC 9110 5.1).
func exactly(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// dashed also reads an underscore as a dash, as CGI does.
func dashed(c byte) byte {
	if c == '_' {
		return '-'
	}
	return exactly(c)
}

// InspectsAny reports whether the policy inspects one of the headers. The length of the name excludes most of them.
func (s *RuleSet) InspectsAny(header map[string][]string) bool {
	for name := range header {
		if s.headerLengths[len(name)] && s.inspects(name) {
			return true
		}
	}
	return false
}

func (s *RuleSet) inspects(name string) bool {
	for _, h := range s.headers {
		if isSpelt(name, h.name, dashed) {
			return true
		}
	}
	return false
}

func lengthsOf(headers []inspectedHeader) map[int]bool {
	lengths := map[int]bool{}
	for _, h := range headers {
		lengths[len(h.name)] = true
	}
	return lengths
}
