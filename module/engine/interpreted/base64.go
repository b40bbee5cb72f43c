package interpreted

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// Expressions for base64 of printable ASCII and DEL: groups of four characters, and one of two to four at the end. json64 is for base64
// with the start of JSON, of which the other bytes do not matter.
const (
	firstOf64  = `[I-Za-f]`
	secondOf64 = `[C-HS-Xi-nyz0-3]`
	anyOf64    = `[A-Za-z0-9+/_-]`
	groupOf64  = firstOf64 + secondOf64 + `(?:[AEIMQUYcgkosw048][g-z0-9+/_-]|[BFJNRVZdhlptx159][A-Za-z0-9+-])`
	json64     = `(?:[eW][wyz0-3]|I[ACFH]|C[QSVXgiln]|D[QSVX])` + anyOf64 + `{4,}={0,2}`
	whole64    = `(?:` + groupOf64 + `)+(?:` + groupOf64 + `|` + firstOf64 + secondOf64 + `?` + anyOf64 + `)={0,2}`
)

var (
	// base64Line matches lines that are base64 as a whole, and a few others, which base64TextOf leaves unchanged.
	base64Line = regexp.MustCompile(`(?m)^` + whole64 + `$`)
	// base64Value matches base64 keys and values in the query of a target between TargetStart and TargetEnd.
	base64Value = regexp.MustCompile(`[?&=](?:` + whole64 + `|` + json64 + `)[&=` + TargetEnd + `]`)
	urlLetters  = strings.NewReplacer("-", "+", "_", "/")
)

// base64Texts decodes the lines that are base64 as a whole. It leaves every other line unchanged.
func base64Texts(lines string) string {
	if !base64Line.MatchString(lines) {
		return lines
	}
	return base64Line.ReplaceAllStringFunc(lines, base64TextOf)
}

func base64TextOf(line string) string {
	text, err := base64.RawStdEncoding.DecodeString(urlLetters.Replace(strings.TrimRight(line, "=")))
	if err != nil || strings.Contains(string(text), "\x7f") {
		return line
	}
	return string(text)
}
