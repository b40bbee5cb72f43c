package engine

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

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
