package engine

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
)

// Transfer encodings of parts of a multipart form (RFC 2045 6), which some servers decode.

var (
	encodingLine  = regexp.MustCompile(`(?m)^[^!-~\n]*content-transfer-encoding[^!-~\n]*:.*`)
	lineBlanks    = regexp.MustCompile(`[ \t]+(\r?\n|\z)`)
	softBreak     = regexp.MustCompile(`=(?:\r?\n|\z)`)
	quotedByte    = regexp.MustCompile(`=([0-9A-Fa-f]{2})`)
	notBase64     = regexp.MustCompile(`[^A-Za-z0-9+/=]+`)
	base64Groups  = regexp.MustCompile(`^(?:=*[^=]=*[^=]=?[^=]{2})*(?:=*[^=](?:=*[^=](?:=?[^=])?)?)?`)
	transferNames = []string{"quoted-printable", "base64"}
)

// encodingsIn returns the transfer encodings that a text names, wherever it names them.
func encodingsIn(text string) []string {
	var names []string
	text = lowerText.Replace(text)
	for _, name := range transferNames {
		if strings.Contains(text, name) {
			names = append(names, name)
		}
	}
	return names
}

// decodedTexts returns the readings of a text in transfer encodings.
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
	text = softBreak.ReplaceAllLiteralString(lineBlanks.ReplaceAllString(text, "$1"), "")
	text = quotedByte.ReplaceAllString(strings.ReplaceAll(text, "%", "%25"), "%$1")
	decoded, _ := url.PathUnescape(text) // each percent sign has two digits
	return decoded
}

// fromBase64 decodes up to the first =, and as Python does: groups of four with stray =, up to the = that fills one.
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

// decodedGroups ignores what does not fill a byte.
func decodedGroups(code string) string {
	if len(code)%4 == 1 {
		code = code[:len(code)-1]
	}
	decoded, _ := base64.RawStdEncoding.DecodeString(code) // code has no other characters
	return string(decoded)
}

// What is inspected of a value of a body that has a Content-Encoding: servers that ignore the header read the bytes
// verbatim. Values of compressed bodies match rules by chance, so that only text counts, and a part of a value has to be long.

var (
	textRun  = regexp.MustCompile(`\A[ -~\t\r\n]+\z|[ -~\t\r\n]{8,}`)
	climbRun = regexp.MustCompile(`\.\.|%[2cefuCEFU]`)
)

// longRun is the number of bytes from which a part of a value counts. A shorter one needs two dots, or the start of an escape
// of one.
const longRun = 16

// inspectRuns inspects the runs of text in a value. It returns false when the inspection is done.
func (b *bodyInspection) inspectRuns(value []byte) bool {
	for _, run := range textRun.FindAll(value, -1) {
		counts := len(run) == len(value) || len(run) >= longRun || climbRun.Match(run)
		if counts && (!b.counts(run) || !b.whole(run)) {
			return false
		}
	}
	return !b.isDone
}
