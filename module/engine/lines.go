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
	e.findSuspectLines()
	for i := e.lineSuspects.Next(0); i >= 0; i = e.lineSuspects.Next(i + 1) {
		h := &e.rules.lines[i]
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

// lineFilterOf returns a prefilter of the rules about lines of a header. Most lines have none of its literals: Accept has those of
// rules about Content-Type.
func lineFilterOf(rules []*rule, header string) *match.Prefilter {
	return smallFilterOf(rules, func(r *rule) bool { return r.kinds&headerKind != 0 && r.hasHeader(header) })
}

// smallFilterOf returns a prefilter of some rules, which stays in the caches of the processor. It returns nil if one of the rules requires
// no literal.
func smallFilterOf(rules []*rule, isIn func(r *rule) bool) *match.Prefilter {
	var matchers []*match.Matcher
	for _, r := range rules {
		if !isIn(r) {
			continue
		}
		if r.matcher.Literals() == nil {
			return nil
		}
		matchers = append(matchers, r.matcher)
	}
	return match.NewPrefilter(matchers)
}

// lineIndex finds the prefilter of a header of rules. A header that no rule is about takes one line of a processor's cache, where a map
// takes three.
type lineIndex [][]indexedLines

const lineBuckets = 64

type indexedLines struct {
	key    string
	filter *match.Prefilter // nil for a spelling with underscores, or if a rule requires no literal
	number int              // of the header
}

// indexLines returns nil if the spellings of a header are not listed.
func indexLines(lines []inspectedHeader) lineIndex {
	index := make(lineIndex, lineBuckets)
	for i := range lines {
		for n, key := range lines[i].keys {
			found := indexedLines{key: key, number: i}
			if n == 0 {
				found.filter = lines[i].filter
			}
			bucket := bucketOf(key)
			index[bucket] = append(index[bucket], found)
		}
		if lines[i].keys == nil {
			return nil
		}
	}
	return index
}

// bucketOf returns the index of the headers with the length, the first and the last byte of a key.
func bucketOf(key string) int {
	if key == "" {
		return 0
	}
	return (len(key) + 5*int(key[0]) + 11*int(key[len(key)-1])) % lineBuckets
}

// findSuspectLines fills lineSuspects with every header for which areLinesClean returns false, and those whose name was sent with
// underscores. It looks at each header of the request once, because most requests have fewer headers than those of rules have spellings.
func (e *evaluation) findSuspectLines() {
	e.lineSuspects = e.lineSuspects.WithSize(len(e.rules.lines))
	for i := range e.lineSuspects {
		e.lineSuspects[i] = 0
	}
	if e.rules.lineIndex == nil || e.trace != nil || len(e.request.Header) > searchedHeaders {
		for i := range e.rules.lines {
			if !e.areLinesClean(&e.rules.lines[i]) {
				e.lineSuspects.Add(i)
			}
		}
		return
	}
	for key, lines := range e.request.Header { //guard:all-headers Only compiled guards have an index, and most requests have few headers.
		for _, found := range e.rules.lineIndex[bucketOf(key)] {
			if found.key == key && (found.filter == nil || !e.areClean(found.filter, lines)) {
				e.lineSuspects.Add(found.number)
			}
		}
	}
}

// areLinesClean returns true only if no rule matches a line of the header, and the lines reach no limit.
func (e *evaluation) areLinesClean(h *inspectedHeader) bool {
	filter, count := h.filter, 0
	if filter == nil || e.trace != nil {
		return false
	}
	for _, key := range h.keysOf(e.request.Header) {
		lines := e.request.Header[key]
		if count += len(lines); count > limits.QueryPairs || !e.areClean(filter, lines) {
			return false
		}
	}
	return true
}

// areClean returns true only for few printable lines without blanks around them, which have no literal.
func (e *evaluation) areClean(filter *match.Prefilter, lines []string) bool {
	if len(lines) > limits.QueryPairs {
		return false
	}
	for _, line := range lines {
		if len(line) > limits.HeaderBytes || strings.HasPrefix(line, " ") || strings.HasSuffix(line, " ") {
			return false
		}
		kept := len(e.buffers.kept)
		isClean := filter.IsClean(e.buffers.keepText(line))
		e.buffers.kept = e.buffers.kept[:kept]
		if !isClean {
			return false
		}
	}
	return true
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
