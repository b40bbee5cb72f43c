package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// This file has the headers of custom rules, which are matched verbatim.

// headersOfRules returns the headers of rules, each once.
func headersOfRules(rules []*rule) []string {
	var names []string
	isListed := map[string]bool{}
	for _, r := range rules {
		for _, name := range r.headers {
			if !isListed[name] {
				isListed[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

func (r *rule) hasHeader(name string) bool {
	for _, one := range r.headers {
		if one == name {
			return true
		}
	}
	return false
}

// inspectLines reports whether a header of a custom rule is blocked.
func (e *evaluation) inspectLines() bool {
	for i := range e.rules.lines {
		h := &e.rules.lines[i]
		if e.areLinesClean(h) {
			continue
		}
		e.header = h.name
		e.value.reset()
		for _, key := range h.keysOf(e.request.Header) {
			e.readLines(e.request.Header[key])
		}
		if len(e.value.candidates) > 0 && e.inspect(h.target, headerKind, &e.value) {
			return true
		}
	}
	return false
}

// lineFilterOf returns a prefilter of the rules about lines of a header. It is small, so that it stays in the caches of the processor,
// and most lines have none of its literals: Accept has those of rules about Content-Type. It returns nil if a rule requires no literal.
func lineFilterOf(rules []*rule, header string) *match.Prefilter {
	var matchers []*match.Matcher
	for _, r := range rules {
		if r.kinds&headerKind == 0 || !r.hasHeader(header) {
			continue
		}
		if r.matcher.Literals() == nil {
			return nil
		}
		matchers = append(matchers, r.matcher)
	}
	return match.NewPrefilter(matchers)
}

// areLinesClean returns true only if no rule matches a line of the header, and the lines reach no limit. It copies nothing.
func (e *evaluation) areLinesClean(h *inspectedHeader) bool {
	filter, count := h.filter, 0
	if filter == nil || e.trace != nil {
		return false
	}
	for _, key := range h.keysOf(e.request.Header) {
		lines := e.request.Header[key]
		count += len(lines)
		if count > limits.QueryPairs {
			return false
		}
		for _, line := range lines {
			if !isLineClean(filter, line) {
				return false
			}
		}
	}
	return true
}

// isLineClean returns true only for a printable line without blanks around it, which has no literal.
func isLineClean(filter *match.Prefilter, line string) bool {
	if len(line) > limits.HeaderBytes || strings.HasPrefix(line, " ") || strings.HasSuffix(line, " ") {
		return false
	}
	state, highest := filter.Start(), uint32(0)
	for i := 0; i < len(line); i++ {
		if line[i] < ' ' || line[i] > '~' {
			return false
		}
		state = filter.Step(state, line[i])
		if state > highest {
			highest = state
		}
	}
	return !filter.HasLiteral(highest) && !filter.HasLiteralAtEnd(state)
}

// readLines appends to value the first bytes of each line. A crowd of lines reaches a limit, because it could hide one of them.
func (e *evaluation) readLines(lines []string) {
	for _, line := range lines {
		line = strings.Trim(line, " \t")
		if line == "" {
			continue
		}
		if len(e.value.candidates) == limits.QueryPairs {
			e.value.limit = ReasonLimitQueryPairs
			return
		}
		if len(line) > limits.HeaderBytes {
			line = line[:limits.HeaderBytes]
		}
		e.value.candidates = append(e.value.candidates, e.readLine(line))
	}
}

func (e *evaluation) readLine(line string) []byte {
	if e.rules.steps != nil {
		return []byte(e.rules.steps.Escape(line))
	}
	text := e.buffers.keepText(line)
	if isPrintable(text) {
		return text
	}
	return e.buffers.escape(text)
}

// InspectsHeaders reports whether the policy inspects any header.
func (s *RuleSet) InspectsHeaders() bool { return len(s.headers)+len(s.lines) > 0 }

// HasLongHeaders reports whether the headers of a request can take long: one that counts as a path, or lines that are longer than
// the part of one line that is matched.
func (s *RuleSet) HasLongHeaders(header map[string][]string) bool {
	if len(s.headers) > 0 && inspectsAny(s.headers, header) {
		return true
	}
	size := 0
	for i := range s.lines {
		h := &s.lines[i]
		if h.keys == nil && len(header) > searchedHeaders {
			return true
		}
		for _, key := range h.keysOf(header) {
			for _, line := range header[key] {
				size += len(line)
			}
		}
	}
	return size > limits.HeaderBytes
}
