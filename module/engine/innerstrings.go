package engine

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// JSON in a value of a query or form, such as ?variables={"file":"..."} of GraphQL or payload={"..."} of webhooks. Its strings
// are values too, after all pairs. JSON in these strings is not read.

const innerStart = `(?:[ \t\r\n+]|%20|%09|%0[aAdD])*(?:[{\[]|%7[bB]|%5[bB])`

var (
	// innerJSON finds an object or a list at the start of a value, also where its start is encoded once.
	innerJSON = regexp.MustCompile(`^` + innerStart)
	// innerValue finds such a value between &, and innerLine in lines.
	innerValue = regexp.MustCompile(`(?:^|&)` + innerStart + `[^&]*`)
	innerLine  = regexp.MustCompile(`(?m)^(?:[ \t\r+\v]|%20|%09|%0[aAdD])*(?:[{\[]|%7[bB]|%5[bB])[^\n]*`)
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

// innerStrings returns the strings that eachInnerString yields, without the empty ones.
func innerStrings(pairs string) []string {
	if !mayHaveInner(pairs) {
		return nil
	}
	var texts []string
	for _, value := range innerValue.FindAllString(formValues(withSemicolonPairs(pairs)), -1) {
		value = asLine.Replace(strings.ReplaceAll(strings.TrimPrefix(value, "&"), "+", " "))
		texts = append(texts, jsonTexts(fromLine.Replace(decodeText(value)))...)
	}
	return texts
}

// innerLines returns the strings of values that are lines, and what is between them, as lines. Where there are more such values
// than are inspected, their strings are not inspected.
func innerLines(values string) string {
	if !mayHaveInner(values) {
		return ""
	}
	found := innerLine.FindAllString(values, limits.BodyValues+1)
	if len(found) > limits.BodyValues {
		return ""
	}
	for i, value := range found {
		found[i] = jsonLines(fromLine.Replace(decodeText(strings.ReplaceAll(value, "+", " "))))
	}
	return strings.Join(found, match.LineEnd)
}

// inspectInner inspects the strings in the values of a query, after `before` pairs. A string that is not a word counts as one.
func (e *evaluation) inspectInner(target, query string, before int) (isBlocked bool, pairs int) {
	pairs = before
	eachInnerString(query, func(text []byte) bool {
		if len(text) == 0 {
			return true
		}
		if !isWordText(string(text)) {
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

// inspectInnerLines is inspectInner for an interpreter, which matches all strings at once.
func (e *evaluation) inspectInnerLines(target, query string, before int) (isBlocked bool, pairs int) {
	pairs = before
	texts := innerStrings(query)
	if len(texts) == 0 {
		return false, pairs
	}
	e.readAtOnce(texts, true)
	var lines []string
	limit := ""
	for i := 0; i < len(texts) && limit == ""; i++ {
		isWord := isWordText(texts[i])
		if !isWord {
			pairs++
		}
		switch {
		case pairs > limits.QueryPairs:
			limit = ReasonLimitQueryPairs
		case isWord && !base64Line.MatchString(texts[i]) && e.words.used+len(texts[i]) <= limits.RequestBytes:
			e.words.used += len(texts[i])
			lines = append(lines, texts[i])
		default:
			lines, limit = e.readQueryText(lines, texts[i])
		}
	}
	v := e.gathered(lines)
	v.limit = limit
	return e.inspect(target, queryKind, v), pairs
}
