package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/request-guard/guard/engine/match"
)

var (
	// A string has a quote at its start and, unless the text ends first, one at its end.
	jsonString = regexp.MustCompile(`(?s)"((?:[^"\\]|\\.)*\\?)"?`)
	jsonClosed = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"`)
	jsonPair   = regexp.MustCompile(`\x00u[Dd][89ABab][0-9A-Fa-f]{2}\x00u[Dd][C-Fc-f][0-9A-Fa-f]{2}`)
	jsonBasic  = regexp.MustCompile(`\x00u((?:[0-9A-Ca-cE-Fe-f][0-9A-Fa-f]|[Dd][0-7])[0-9A-Fa-f]{2})`)
	jsonEnds   = regexp.MustCompile(`\A(?:"\x00*")*(?:"\x00*)?\z`)
	jsonEscape = strings.NewReplacer(`\\`, "\x00", `\"`, "\x00", `\`, "\x00")
	onlyEnds   = match.Keeping("\x00\"")
	jsonLined  = strings.NewReplacer(append(jsonLineQuotes(), jsonQuotes()...)...)
)

// isJSONText is isJSON.
func isJSONText(text string) bool {
	return strings.Trim(jsonClosed.ReplaceAllLiteralString(text, ""), outsideOfStrings) == ""
}

// jsonTexts returns the strings that eachJSONString yields, without the empty ones.
func jsonTexts(text string) []string {
	all := jsonLines(text)
	lines := splitLines(all)
	var values []string
	for i := 1; i < len(lines); i += 2 {
		if lines[i] != "" {
			values = append(values, lines[i])
		}
	}
	if !strings.Contains(all, "\v") {
		return values
	}
	for i, value := range values {
		values[i] = fromLine.Replace(value)
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

// jsonLineQuotes come before jsonQuotes to make a line of each text between quotation marks.
func jsonLineQuotes() []string {
	pairs := []string{`\\`, `\\`, `\"`, `\"`, `"`, `\n`, "\n", `\v\v`, `\n`, `\v\v`, "\v", `\v\f`}
	for _, u := range []string{`\u000a`, `\u000A`} {
		pairs = append(pairs, u, `\v\v`)
	}
	return append(pairs, `\u000b`, `\v\f`, `\u000B`, `\v\f`)
}

// jsonLines returns the strings that eachJSONString yields as lines, each between two lines of what is outside of strings.
func jsonLines(text string) string {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) == nil {
		return unescapedQuotes(jsonLined.Replace(compact.String()))
	}
	if backslashes := len(text) - len(strings.TrimRight(text, `\`)); backslashes%2 == 1 {
		text += `\` // so that it does not escape the quotation mark that follows
	}
	if !hasEscapesInStrings(text) {
		text = jsonString.ReplaceAllString(text, ` "$1" `) // so that no backslash escapes the mark at the start of a string
	}
	return unescapedQuotes(jsonLined.Replace(text))
}

// hasEscapesInStrings reports whether all backslashes are in strings.
func hasEscapesInStrings(text string) bool {
	return !strings.Contains(text, `\`) || jsonEnds.MatchString(onlyEnds(jsonEscape.Replace(text)))
}

// unescapedQuotes is the text of a Go string in which a NUL is in place of \u.
func unescapedQuotes(s string) string {
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
