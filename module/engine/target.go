package engine

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

// absolute is the part of an absolute-form target (RFC 9112 3.2.2) before its path. net/http also accepts a scheme
// without an authority and passes on what follows: a:/x and a:b:/x reach a backend as /x.
var absolute = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:(?://[^/?#\\]*)?)+`)

// splitTarget splits a target. A target in neither origin form nor absolute form is a path verbatim.
func splitTarget(target string) (path, query string, hasQuery bool) {
	if !strings.HasPrefix(target, "/") && strings.Contains(target, ":") {
		target = target[len(absolute.FindString(target)):]
	}
	path, query, hasQuery = strings.Cut(target, "?")
	if path == "" {
		path = "/"
	}
	return path, query, hasQuery
}

// whiteSpaceIn returns the index of the first raw byte that servers in Python take for white space, which ends the target (split of
// a str in Latin-1, as in http.server); -1: there is none. nginx passes these bytes on; all proxies refuse the other white space.
func whiteSpaceIn(target string) int {
	nextLine, noBreakSpace := strings.IndexByte(target, 0x85), strings.IndexByte(target, 0xA0)
	if nextLine < 0 || 0 <= noBreakSpace && noBreakSpace < nextLine {
		return noBreakSpace
	}
	return nextLine
}

// inspectQuery inspects keys and values, split at &, at semicolons and at the first =, and strings in the
// values, up to the limit on pairs. The pairs follow `before` others.
// It reports whether the request is blocked, and the new count.
func (e *evaluation) inspectQuery(target, query string, before int) (isBlocked bool, pairs int) {
	if len(query) > limits.QueryBytes {
		e.traceLimit(target, queryKind, ReasonLimitLength)
		return e.inspectLimit(target, ReasonLimitLength), before
	}
	isBlocked, pairs = e.inspectPairs(target, query, before)
	if more := SemicolonPairs(query); more != "" && !isBlocked {
		isBlocked, pairs = e.inspectPairs(target, more, pairs)
	}
	if isBlocked {
		return true, pairs
	}
	return e.inspectInner(target, query, pairs)
}

// dividedPart is a part between & that has a semicolon.
var dividedPart = regexp.MustCompile(`[^&]*;[^&]*`)

// SemicolonPairs returns the pieces between semicolons of the parts that have one, with & between them: servers of Perl,
// Python and Rack read them as pairs too. They are inspected last, so that they take no room from the pairs of all servers.
func SemicolonPairs(query string) string {
	if !strings.Contains(query, ";") {
		return ""
	}
	return strings.ReplaceAll(strings.Join(dividedPart.FindAllString(query, -1), "&"), ";", "&")
}

// inspectPairs inspects the pairs between & of a query that is not too long.
func (e *evaluation) inspectPairs(target, query string, before int) (isBlocked bool, pairs int) {
	pairs = before
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if pair == "" {
			continue
		}
		if pairs++; pairs > limits.QueryPairs {
			e.traceLimit(target, queryKind, ReasonLimitQueryPairs)
			return e.inspectLimit(target, ReasonLimitQueryPairs), pairs
		}
		key, value, hasValue := strings.Cut(pair, "=")
		if e.inspectQueryText(target, key) || hasValue && e.inspectQueryText(target, value) ||
			isFilePair(pair) && e.inspectQueryText(target, pair) {
			return true, pairs
		}
	}
	return false, pairs
}

// isFilePair reports whether the key of a pair says that the value names a file. Such a pair is also inspected whole: rules then
// apply to names that are words elsewhere, as in file=passwd.
func isFilePair(pair string) bool { return strings.HasPrefix(pair, "file=") }

// inspectQueryText inspects a text verbatim and, if it has a plus, with spaces in place of each plus.
func (e *evaluation) inspectQueryText(target, text string) bool {
	return e.inspectValue(target, queryKind, e.words.keepText(text), limits.QueryBytes) ||
		strings.Contains(text, "+") && e.inspectValue(target, queryKind, e.words.spaced(text), limits.QueryBytes)
}
