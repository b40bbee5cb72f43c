package engine

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/request-guard/guard/limits"
)

var (
	// A string has a quote at its start and, unless the text ends first, one at its end.
	jsonString = regexp.MustCompile(`(?s)"((?:[^"\\]|\\.)*\\?)"?`)
	jsonPair   = regexp.MustCompile(`\x00u[Dd][89ABab][0-9A-Fa-f]{2}\x00u[Dd][C-Fc-f][0-9A-Fa-f]{2}`)
	jsonBasic  = regexp.MustCompile(`\x00u((?:[0-9A-Ca-cE-Fe-f][0-9A-Fa-f]|[Dd][0-7])[0-9A-Fa-f]{2})`)
	jsonQuoted = strings.NewReplacer(jsonQuotes()...)
)

// jsonTexts returns the strings that eachJSONString yields, up to the limit on values.
func jsonTexts(text string) []string {
	found := jsonString.FindAllStringSubmatch(text, limits.BodyValues)
	values := make([]string, len(found))
	for i, f := range found {
		values[i] = f[1]
		if strings.Contains(f[1], `\`) {
			values[i] = unescapeJSONText(f[1])
		}
	}
	return values
}

// jsonQuotes rewrite a JSON string as a Go string, with a NUL in place of \u.
func jsonQuotes() []string {
	pairs := []string{`\\`, `\\`, `\"`, `\"`, `\/`, `/`, `\u`, "\x00u"}
	for _, c := range "bfnrt" {
		pairs = append(pairs, `\`+string(c), `\`+string(c))
	}
	pairs = append(pairs, `\`, `\\`)
	return append(pairs, bytePairs(isOddInJSON, quotedForm)...)
}

func isOddInJSON(c byte) bool { return isUnprintable(c) || c == '"' }

// unescapeJSONText is unescapeJSON.
func unescapeJSONText(text string) string {
	s := jsonQuoted.Replace(text)
	if strings.Contains(s, "\x00") {
		s = jsonPair.ReplaceAllStringFunc(s, quotedPair)
		s = jsonBasic.ReplaceAllString(s, `\u$1`)
		s = strings.ReplaceAll(s, "\x00", `\\`)
	}
	return unquoted(s)
}

// quotedPair makes one code point of a surrogate pair.
func quotedPair(pair string) string {
	high, low := hexOf(pair[2:6]), hexOf(pair[8:])
	return fmt.Sprintf(`\U%08x`, beyondBasic+(high&0x3FF)<<surrogateHas+low&0x3FF)
}

func hexOf(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 16, 32)
	return n
}
