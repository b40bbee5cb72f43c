package engine

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

const cookieTarget = "header:cookie"

// inspectCookies inspects the cookies of a header as all servers separate them, then their other readings. It has the same results as
// inspectQuery.
func (e *evaluation) inspectCookies(target, header string, count int) (isBlocked bool, pairs int) {
	isBlocked, pairs = e.inspectQuery(target, cookiePairs(header), count)
	if isBlocked || !mayHaveOtherPairs(header) {
		return isBlocked, pairs
	}
	others := strings.Join(otherCookiePairs(header), "&")
	if isBlocked, pairs = e.inspectPairs(target, others, pairs); isBlocked {
		return true, pairs
	}
	return e.inspectInner(target, others, pairs)
}

var cookieEnd = regexp.MustCompile(`;[ \t]*`)

// cookiePairs returns cookies (RFC 6265 4.2) as pairs of a query, because PHP decodes them like a query. Their values keep quotation
// marks and escapes.
func cookiePairs(header string) string {
	if hasPlainBlanks(header) {
		return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(header, "&", "%26"), "; ", "&"), ";", "&")
	}
	return cookieEnd.ReplaceAllLiteralString(strings.ReplaceAll(header, "&", "%26"), "&")
}

// hasPlainBlanks reports whether the only blanks of a header are single spaces behind semicolons.
func hasPlainBlanks(header string) bool {
	return strings.IndexByte(header, '\t') < 0 && strings.Count(header, " ") == strings.Count(header, "; ")
}

// mayHaveOtherPairs returns false for nearly all headers without other readings.
func mayHaveOtherPairs(header string) bool {
	return strings.IndexByte(header, '"') >= 0 || strings.IndexByte(header, '\\') >= 0 || !hasPlainBlanks(header)
}

// pairList is a list of pairs without repetitions.
type pairList struct {
	known map[string]bool // also has the pairs of cookiePairs
	pairs []string
}

var pairEscaper = strings.NewReplacer("&", "%26", ";", "%3B")

// add adds a cookie, and the cookie with decoded escapes. It returns false when the limit on pairs is exceeded.
func (l *pairList) add(key, value string) bool {
	for _, text := range []string{value, cookieEscapes.Replace(value)} {
		if pair := pairEscaper.Replace(key + "=" + text); !l.known[pair] {
			l.known[pair] = true
			l.pairs = append(l.pairs, pair)
		}
	}
	return len(l.pairs) <= limits.QueryPairs
}

// otherCookiePairs returns the pairs of servers that remove quotation marks, decode escapes or end cookies at blanks, without those of
// cookiePairs. More pairs than the limit allows are left out.
func otherCookiePairs(header string) []string {
	l := &pairList{known: map[string]bool{}}
	for _, pair := range strings.Split(cookiePairs(header), "&") {
		l.known[pair] = true
	}
	if !l.addQuoted(header) {
		return l.pairs
	}
	for _, cookie := range strings.Split(header, ";") {
		if !l.addReadings(strings.Trim(cookie, cookieBlanks)) {
			break
		}
	}
	return l.pairs
}

const cookieBlanks = " \t"

var (
	quotationMark = regexp.MustCompile(`=[ \t]*"`)
	quotedText    = regexp.MustCompile(`(?s)\A((?:[^"\\]|\\.)*)"`)
	blankCookie   = regexp.MustCompile(`[ \t]([^= \t"]+)[ \t]*=[ \t]*([^ \t"][^ \t]*)`)
)

// addQuoted adds quoted values as SimpleCookie of Python, aiohttp and WebOb find them: a semicolon does not end them.
func (l *pairList) addQuoted(header string) bool {
	from := 0
	for _, at := range quotationMark.FindAllStringIndex(header, -1) {
		key := strings.TrimRight(header[from:at[0]], cookieBlanks)
		key = key[strings.LastIndexAny(key, ";= \t\"")+1:]
		from = at[1]
		if text := quotedText.FindStringSubmatch(header[from:]); text != nil && !l.add(key, text[1]) {
			return false
		}
	}
	return true
}

// addReadings adds the other readings of one cookie. Django, Tornado and koa remove quotation marks at both ends only. WebOb decodes
// escapes outside of quotation marks too. SimpleCookie, aiohttp and WebOb end a cookie at a blank.
func (l *pairList) addReadings(cookie string) bool {
	key, value, hasValue := strings.Cut(cookie, "=")
	key = strings.Trim(key, cookieBlanks)
	value = strings.Trim(value, cookieBlanks)
	if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
		value = value[1 : len(value)-1]
	} else {
		hasValue = hasValue && strings.Contains(value, `\`)
	}
	if hasValue && !l.add(key, value) {
		return false
	}
	for _, found := range blankCookie.FindAllStringSubmatch(cookie, -1) {
		if !l.add(found[1], found[2]) {
			return false
		}
	}
	return true
}

// cookieEscapes decodes the escapes of http.cookies of Python, which Django, Tornado, Werkzeug and WebOb share: \056 and \".
var cookieEscapes = strings.NewReplacer(cookieEscapePairs()...)

func cookieEscapePairs() []string {
	var octal, others []string
	for c := 0; c < 256; c++ {
		b := string([]byte{byte(c)})
		octal = append(octal, fmt.Sprintf(`\%03o`, c), b)
		others = append(others, `\`+b, b)
	}
	return append(octal, others...) // of two texts at one place, the replacer takes the earlier one
}
