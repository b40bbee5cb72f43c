package engine

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/request-guard/guard/limits"
)

var (
	xmlReference = regexp.MustCompile(`&(?:lt|gt|amp|apos|quot|#[0-9]+|#[xX][0-9A-Fa-f]+);`)
	// XMLNames are references to named characters.
	XMLNames = map[string]string{"&lt;": "<", "&gt;": ">", "&amp;": "&", "&apos;": "'", "&quot;": `"`}
)

// dereferenced leaves other references, and numbers that are not a code point, unchanged.
func dereferenced(raw []byte) []byte {
	if bytes.IndexByte(raw, '&') < 0 {
		return raw
	}
	return []byte(xmlReference.ReplaceAllStringFunc(string(raw), Dereference))
}

// Dereference returns the character of a reference.
func Dereference(reference string) string {
	if character, isNamed := XMLNames[reference]; isNamed {
		return character
	}
	digits, base := strings.Trim(reference, "&#;"), 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseInt(digits, base, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return reference
	}
	return string(rune(n))
}

// innerTexts returns the texts between quotation marks and angle brackets in a literal of a declaration, without blanks at
// their ends: an entity with the value "<!ENTITY x SYSTEM 'file:///etc/passwd'>" declares another one where it is used. A parser
// decodes the references of the inner declaration once more, so they are decoded as often as URL escapes.
func innerTexts(literal []byte) (texts [][]byte) {
	for round := 0; round < limits.DecodeRounds; round++ {
		literal = dereferenced(literal)
	}
	if !bytes.ContainsAny(literal, xmlInnerMarks) {
		return nil
	}
	for _, text := range bytes.FieldsFunc(literal, func(r rune) bool { return strings.ContainsRune(xmlInnerMarks, r) }) {
		if text = bytes.Trim(text, XMLBlanks); len(text) > 0 {
			texts = append(texts, text)
		}
	}
	return texts
}

const xmlInnerMarks = `"'<>`
