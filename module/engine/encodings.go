package engine

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
)

var (
	encodingLine  = regexp.MustCompile(`(?m)^[^!-~\n]*content-transfer-encoding[^!-~\n]*:.*`)
	lineBlanks    = regexp.MustCompile(`[ \t]+(\r?\n|\z)`)
	softBreak     = regexp.MustCompile(`=(?:\r?\n|\z)`)
	quotedByte    = regexp.MustCompile(`=([0-9A-Fa-f]{2})`)
	notBase64     = regexp.MustCompile(`[^A-Za-z0-9+/=]+`)
	base64Groups  = regexp.MustCompile(`^(?:=*[^=]=*[^=]=?[^=]{2})*(?:=*[^=](?:=*[^=](?:=?[^=])?)?)?`)
	encodingNames = []string{"quoted-printable", "base64"}
)

// encodingsIn returns the transfer encodings (RFC 2045 6) that a text names. Some servers decode them in multipart parts.
func encodingsIn(text string) []string {
	var names []string
	text = LowerText.Replace(text)
	for _, name := range encodingNames {
		if strings.Contains(text, name) {
			names = append(names, name)
		}
	}
	return names
}

func decodedTexts(encodings []string, text string) []string {
	var texts []string
	for _, name := range encodings {
		if name == "base64" {
			texts = append(texts, fromBase64(text)...)
		} else {
			texts = append(texts, fromQuotedPrintable(text))
		}
	}
	return texts
}

// fromQuotedPrintable drops blanks at the end of a line, and soft line breaks. Everything besides =HH is literal.
func fromQuotedPrintable(text string) string {
	return withQuotedBytes(softBreak.ReplaceAllLiteralString(lineBlanks.ReplaceAllString(text, "$1"), ""))
}

// withQuotedBytes decodes =HH.
func withQuotedBytes(text string) string {
	text = quotedByte.ReplaceAllString(strings.ReplaceAll(text, "%", "%25"), "%$1")
	decoded, _ := url.PathUnescape(text) // each percent sign has two digits
	return decoded
}

// fromBase64 decodes the text up to the first = and, if different, what Python reads: it drops a = inside a group of four
// characters.
func fromBase64(text string) []string {
	code := notBase64.ReplaceAllLiteralString(text, "")
	plain, _, _ := strings.Cut(code, "=")
	lenient := strings.ReplaceAll(base64Groups.FindString(code), "=", "")
	texts := []string{decodedGroups(plain)}
	if lenient != plain {
		texts = append(texts, decodedGroups(lenient))
	}
	return texts
}

// decodedGroups decodes base64 without =. It drops bits at the end that do not fill a byte.
func decodedGroups(code string) string {
	if len(code)%4 == 1 {
		code = code[:len(code)-1]
	}
	decoded, _ := base64.RawStdEncoding.DecodeString(code) // code has no other characters
	return string(decoded)
}

// A body with a Content-Encoding is inspected without decoding, because some servers ignore the header. Compressed bytes match rules
// by chance, so most short runs of text in its values are not inspected.

var (
	textRun  = regexp.MustCompile(`\A[ -~\t\r\n]+\z|[ -~\t\r\n]{8,}`)
	climbRun = regexp.MustCompile(`\.\.|%[2cefuCEFU]`)
)

// longRun is the number of bytes from which any run of text in a value is inspected. A shorter run is inspected only if it is the
// whole value, or contains two consecutive dots or the start of an escape that can decode to a dot.
const longRun = 16

func (b *bodyInspection) inspectRuns(value []byte) bool {
	for _, run := range textRun.FindAll(value, -1) {
		isInspected := len(run) == len(value) || len(run) >= longRun || climbRun.Match(run)
		if isInspected && (!b.countValue(run) || !b.inspectWhole(run)) {
			return false
		}
	}
	return !b.isDone
}
