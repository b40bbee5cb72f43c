package engine

import (
	"net/textproto"
	"sort"
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

type inspectedHeader struct {
	name   string   // name of the header in lower case, with dashes
	target string   // Verdict.Target for this header
	keys   []string // the spellings in Request.Header; nil: there are too many to list
	// filter has the rules about lines of this header. It is nil where one of them requires no literal, the engine uses steps, or no
	// rule is about its lines.
	filter *match.Prefilter
}

const headerPrefix = "header:"

func dashedName(name string) string { return strings.ReplaceAll(lower(name), "_", "-") }

func headersOf(names []string) []inspectedHeader {
	headers := make([]inspectedHeader, len(names))
	for i, name := range names {
		dashed := dashedName(name)
		headers[i] = inspectedHeader{name: dashed, target: headerPrefix + lower(name), keys: spellingsOf(dashed)}
	}
	return headers
}

// listedDashes is the maximum number of dashes in a name whose spellings are listed. A name has 1<<dashes spellings.
const listedDashes = 5

// spellingsOf returns the canonical spellings of a name with dashes. CGI does not distinguish a dash from an underscore. The spelling
// with dashes comes first, because servers that read underscores as dashes prefer it. It returns nil where there are too many.
func spellingsOf(name string) []string {
	parts := strings.Split(name, "-")
	if len(parts) > listedDashes+1 {
		return nil
	}
	spellings := []string{""}
	for i, part := range parts {
		var longer []string
		for _, spelling := range spellings {
			if i == 0 {
				longer = append(longer, part)
			} else {
				longer = append(longer, spelling+"-"+part, spelling+"_"+part)
			}
		}
		spellings = longer
	}
	for i, spelling := range spellings {
		spellings[i] = textproto.CanonicalMIMEHeaderKey(spelling)
	}
	sort.Strings(spellings[1:])
	return spellings
}

// inspectHeaders reports whether a header is blocked. A value counts as a pair of a query, and all headers share one count. Cookies are
// not inspected if custom rules excused the paths of the request.
func (e *evaluation) inspectHeaders(isExcused bool) bool {
	pairs, isBlocked := 0, false
	for _, h := range e.rules.headers {
		if isExcused && h.target == cookieTarget {
			continue
		}
		for _, value := range h.valuesIn(e.request.Header) {
			value = strings.Trim(value, " \t")
			if value == "" {
				continue
			}
			if isBlocked, pairs = e.inspectHeader(h.target, value, pairs+1); isBlocked {
				return true
			}
		}
	}
	return false
}

// inspectHeader inspects the value of a header. count is the number of values and pairs, including this value. It
// reports whether the request is blocked, and the count with the pairs of the value.
func (e *evaluation) inspectHeader(target, value string, count int) (isBlocked bool, pairs int) {
	reason := ""
	if count > limits.QueryPairs {
		reason = ReasonLimitQueryPairs
	} else if len(value) > limits.HeaderBytes {
		reason = ReasonLimitLength
	}
	if reason != "" {
		return e.exceedLimit(target, pathKind, reason), count
	}
	if target == cookieTarget {
		return e.inspectCookies(target, value, count)
	}
	ofRequest := e.excepted
	wasCustom := e.allCustom
	e.excepted = nil
	e.allCustom = true
	e.scope = len(e.paths)
	isBlocked, pairs = e.inspectURL(target, value, count)
	e.paths[e.scope].reset()
	e.paths = e.paths[:e.scope]
	e.excepted = ofRequest
	e.allCustom = wasCustom
	e.scope = 0
	return isBlocked, pairs
}

// inspectURL inspects a header that counts as a path and a query. Exceptions and custom allow rules apply to it by its own path.
func (e *evaluation) inspectURL(target, value string, count int) (isBlocked bool, pairs int) {
	path, query, hasQuery := splitTarget(value)
	e.readPath(path, limits.HeaderBytes)
	if e.inspect(target, pathKind, &e.paths[e.scope]) {
		return true, count
	}
	if !hasQuery || e.allCustom || !e.rules.policy.CheckQuery {
		return false, count
	}
	return e.inspectQuery(target, query, count)
}

// valuesIn returns the values of a header. It looks up each spelling, because an interpreted loop over many headers
// takes long.
func (h *inspectedHeader) valuesIn(header map[string][]string) []string {
	var values []string
	for _, key := range h.keysOf(header) {
		values = append(values, header[key]...)
	}
	return values
}

// keysOf returns the keys that the header can have in a request.
func (h *inspectedHeader) keysOf(header map[string][]string) []string {
	if h.keys == nil {
		return h.keysIn(header)
	}
	return h.keys
}

// keysIn returns the keys of a header that are spellings of a name with too many dashes to list them.
func (h *inspectedHeader) keysIn(header map[string][]string) []string {
	var dashed, others []string
	for key := range header { //guard:all-headers Such a header has a name of more than listedDashes dashes.
		if len(key) != len(h.name) || !strings.EqualFold(strings.ReplaceAll(key, "_", "-"), h.name) {
			continue
		}
		if strings.Contains(key, "_") {
			others = append(others, key)
		} else {
			dashed = append(dashed, key)
		}
	}
	sort.Strings(others)
	return append(dashed, others...)
}

// searchedHeaders is the maximum number of headers that InspectsAny searches for a name whose spellings are not listed.
// If a request has more headers, InspectsAny returns true.
const searchedHeaders = 64

// InspectsAny reports whether the policy may inspect one of the headers. The number of its look-ups is bounded, however many
// headers a request has.
func (s *RuleSet) InspectsAny(header map[string][]string) bool {
	return inspectsAny(s.headers, header) || inspectsAny(s.lines, header)
}

func inspectsAny(headers []inspectedHeader, header map[string][]string) bool {
	for i := range headers {
		h := &headers[i]
		if h.keys == nil && (len(header) > searchedHeaders || len(h.keysIn(header)) > 0) {
			return true
		}
		for _, key := range h.keys {
			if len(header[key]) > 0 {
				return true
			}
		}
	}
	return false
}
