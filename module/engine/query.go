package engine

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

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

// JSON in a value of a query or form, such as ?variables={"file":"..."} of GraphQL or payload={"..."} of webhooks. Its strings
// are values too, after all pairs. JSON in these strings is not read.

const innerStart = `(?:[ \t\r\n+]|%20|%09|%0[aAdD])*(?:[{\[]|%7[bB]|%5[bB])`

var (
	// innerJSON finds an object or a list at the start of a value, also where its start is encoded once.
	innerJSON = regexp.MustCompile(`^` + innerStart)
)

// mayHaveInner reports whether a value may have a quotation mark, verbatim or encoded once.
func mayHaveInner(pairs string) bool {
	return strings.IndexByte(pairs, '"') >= 0 || strings.Contains(pairs, "%22") || strings.Contains(pairs, "%u") || strings.Contains(pairs, "%U")
}

// eachInnerString yields the strings of the values of pairs that look like JSON, some of which are empty.
func eachInnerString(pairs string, yield func(text []byte) bool) {
	if !mayHaveInner(pairs) {
		return
	}
	var found [][]byte
	collect := func(value []byte) bool {
		if len(value) > 0 && strings.IndexByte("{[% \t\r\n+", value[0]) >= 0 && innerJSON.Match(value) {
			found = append(found, value)
		}
		return true
	}
	eachFormValue([]byte(pairs), collect)
	isDone := false
	for _, value := range found {
		spaced := bytes.ReplaceAll(value, []byte("+"), []byte(" "))
		eachJSONString((&workspace{}).decode(spaced), func(text []byte) bool {
			isDone = isDone || !yield(text)
			return !isDone
		})
	}
}

// inspectInner inspects the strings in the values of a query, after `before` pairs. A string that is not a word counts as one.
func (e *evaluation) inspectInner(target, query string, before int) (isBlocked bool, pairs int) {
	pairs = before
	eachInnerString(query, func(text []byte) bool {
		if len(text) == 0 {
			return true
		}
		if !e.rules.isWord(text) {
			pairs++
		}
		if pairs > limits.QueryPairs {
			e.traceLimit(target, queryKind, ReasonLimitQueryPairs)
			isBlocked = e.inspectLimit(target, ReasonLimitQueryPairs)
		} else {
			isBlocked = e.inspectQueryText(target, string(text))
		}
		return !isBlocked
	})
	return isBlocked, pairs
}
