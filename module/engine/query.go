package engine

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

// inspectQuery inspects a query and the JSON in its values. before is the number of pairs that were counted before the
// query. pairs is that number with the pairs of the query.
func (e *evaluation) inspectQuery(target, query string, before int) (isBlocked bool, pairs int) {
	if len(query) > limits.QueryBytes {
		return e.exceedLimit(target, queryKind, ReasonLimitLength), before
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

var partWithSemicolon = regexp.MustCompile(`[^&]*;[^&]*`)

// SemicolonPairs returns the parts of a query that have a semicolon, with & in place of each semicolon: servers of Perl, Python
// and Rack also separate pairs at semicolons.
func SemicolonPairs(query string) string {
	if !strings.Contains(query, ";") {
		return ""
	}
	return strings.ReplaceAll(strings.Join(partWithSemicolon.FindAllString(query, -1), "&"), ";", "&")
}

// inspectPairs inspects the pairs between & of a query. It has the same arguments and results as inspectQuery.
func (e *evaluation) inspectPairs(target, query string, before int) (isBlocked bool, pairs int) {
	pairs = before
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if pair == "" {
			continue
		}
		if pairs++; pairs > limits.QueryPairs {
			return e.exceedLimit(target, queryKind, ReasonLimitQueryPairs), pairs
		}
		key, value, hasValue := strings.Cut(pair, "=")
		if e.inspectQueryText(target, key) || hasValue && e.inspectQueryText(target, value) ||
			isFilePair(pair) && e.inspectQueryText(target, filePairStart+value) {
			return true, pairs
		}
	}
	return false, pairs
}

// FileKey matches a key and its equals sign, if some server reads the key as file. PHP drops blanks before it and what follows a NUL,
// PHP, Rack and qs read file[] and file[x], Rack and qs [file], and keys of ASP.NET have no case.
const FileKey = `(?i:[+ \[\]]|%(?:u00)?(?:20|2b|5b|5d))*(?i:f|%(?:u00)?[46]6)(?i:i|%(?:u00)?[46]9)(?i:l|%(?:u00)?[46]c)(?i:e|%(?:u00)?[46]5)` +
	`(?i:=|(?:[\[\]\x00]|%(?:u00)?(?:5b|5d|00))[^=&]*=)`

var filePair = regexp.MustCompile(`\A` + FileKey)

const (
	filePairStart = "file="
	fileKeyBlanks = "+ []" // the bytes that may precede the name in a text that FileKey matches, besides escapes
)

// isFilePair reports whether a pair is also inspected as file=<value>: rules match names such as passwd only after file=.
func isFilePair(pair string) bool {
	return mayNameFile([]byte(startOfKey(pair))) && filePair.MatchString(pair)
}

// isFileKey reports whether some server reads a key as file.
func isFileKey(key string) bool {
	return mayNameFile([]byte(startOfKey(key))) && filePair.MatchString(key+"=")
}

// startOfKey returns at most four bytes of a key, behind fileKeyBlanks. A conversion of so few bytes allocates nothing.
func startOfKey(key string) string {
	key = strings.TrimLeft(key, fileKeyBlanks)
	if len(key) > len("file") {
		return key[:len("file")]
	}
	return key
}

// mayNameFile returns false for nearly all keys that filePair does not match. key has no fileKeyBlanks at its start.
func mayNameFile(key []byte) bool {
	for i := 0; i < len("file"); i++ {
		if i >= len(key) || key[i]|0x20 != filePairStart[i] {
			return i < len(key) && key[i] == '%'
		}
	}
	return true
}

// inspectQueryText inspects a key or value verbatim and, if it has a plus, with a space in place of each plus.
func (e *evaluation) inspectQueryText(target, text string) bool {
	return e.inspectValue(target, queryKind, e.buffers.keepText(text), limits.QueryBytes) ||
		strings.Contains(text, "+") && e.inspectValue(target, queryKind, withSpaces(e.buffers.keepText(text)), limits.QueryBytes)
}

// jsonStart matches the start of a JSON object or list, verbatim or encoded once, as in ?variables={"file":"..."} of GraphQL. In front may
// be what cookie-parser of Express writes before the JSON of a cookie: j:, or s:j: where the cookie is signed.
var jsonStart = regexp.MustCompile(`^(?:(?:(?:s|%73)(?::|%3[aA]))?(?:j|%6[aA])(?::|%3[aA]))?` +
	`(?:[ \t\r\n+]|%20|%09|%0[aAdD])*(?:[{\[]|%7[bB]|%5[bB])`)

// base64JSON matches the start of a value that can be base64 of a JSON object or list, also with encoded letters.
var base64JSON = regexp.MustCompile(`(?:\A|[&=;])(?:%|[eW][%0-3wyz]|I[%ACFH]|C[%QSVXgiln]|D[%QSVX])`)

// innerStarts has the bytes with which a value can begin that jsonStart or base64JSON matches.
const innerStarts = "{[% \t\r\n+jseWICD"

// mayHaveQuote reports whether pairs may have strings of JSON: whether they have a quotation mark, verbatim or encoded once.
func mayHaveQuote(pairs string) bool {
	return strings.IndexByte(pairs, '"') >= 0 || strings.Contains(pairs, "%22") || strings.Contains(pairs, "%u") || strings.Contains(pairs, "%U")
}

// mayHaveInner reports whether pairs may have strings of JSON, verbatim or in base64. It is called after the pairs were inspected, except
// with steps.
func (e *evaluation) mayHaveInner(pairs string) bool {
	return mayHaveQuote(pairs) || e.buffers.has64 || e.rules.steps != nil && base64JSON.MatchString(pairs)
}

// eachInnerString yields the strings, some empty, of JSON in the values of pairs.
func (e *evaluation) eachInnerString(pairs string, yield func(text []byte) bool) {
	if !e.mayHaveInner(pairs) {
		return
	}
	var texts [][]byte
	eachFormValue([]byte(pairs), func(value []byte) bool {
		if len(value) > 0 && strings.IndexByte(innerStarts, value[0]) >= 0 {
			texts = append(texts, e.innerJSON(value)...)
		}
		return true
	})
	e.eachNestedString(texts, eachJSONString, yield)
}

// innerJSON returns the JSON in a value, decoded once, or from base64.
func (e *evaluation) innerJSON(value []byte) [][]byte {
	if jsonStart.Match(value) {
		spaced := bytes.ReplaceAll(value, []byte("+"), []byte(" "))
		return [][]byte{(&workspace{}).decode(spaced)}
	}
	return e.jsonIn64((&workspace{}).decode(value))
}

// jsonIn64 returns the JSON in a value that is base64 as a whole, such as a cookie of cookie-session.
func (e *evaluation) jsonIn64(value []byte) [][]byte {
	if len(value) < shortestBase64 || !startsJSON64(value[0], value[1]) || bytes.ContainsAny(value, "\r\n") {
		return nil // the decoder skips line ends
	}
	text, err := base64.RawStdEncoding.DecodeString(stdLetters.Replace(string(base64Code(value))))
	if err != nil || !isInnerJSON(text) {
		return nil
	}
	return [][]byte{text}
}

// stdLetters replaces the letters of base64 that only URLs have.
var stdLetters = strings.NewReplacer("-", "+", "_", "/")

// inspectInner inspects the strings of eachInnerString, like inspectQuery. A string that is not a word counts as a pair.
func (e *evaluation) inspectInner(target, query string, before int) (isBlocked bool, pairs int) {
	pairs = before
	e.eachInnerString(query, func(text []byte) bool {
		if len(text) == 0 {
			return true
		}
		if !e.rules.isWord(text) {
			pairs++
		}
		if pairs > limits.QueryPairs {
			isBlocked = e.exceedLimit(target, queryKind, ReasonLimitQueryPairs)
		} else {
			isBlocked = e.inspectQueryText(target, string(text))
		}
		return !isBlocked
	})
	return isBlocked, pairs
}
