package engine

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

var (
	xmlReference = regexp.MustCompile(`&(?:lt|gt|amp|apos|quot|#[0-9]+|#[xX][0-9A-Fa-f]+);`)
	xmlNames     = map[string]string{"&lt;": "<", "&gt;": ">", "&amp;": "&", "&apos;": "'", "&quot;": `"`}
)

// dereferenced leaves other references, and numbers that are not a code point, unchanged.
func dereferenced(raw []byte) []byte {
	if bytes.IndexByte(raw, '&') < 0 {
		return raw
	}
	return []byte(xmlReference.ReplaceAllStringFunc(string(raw), dereference))
}

func dereference(reference string) string {
	if character, isNamed := xmlNames[reference]; isNamed {
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
		if text = bytes.Trim(text, xmlBlanks); len(text) > 0 {
			texts = append(texts, text)
		}
	}
	return texts
}

const xmlInnerMarks = `"'<>`

var (
	xmlDeclaration = regexp.MustCompile(`(?m)^ ` + xmlOpen + `![^\n]*`)
	xmlInnerLine   = regexp.MustCompile(`(?m)^[^"'<>\n]*["'<>].*$`)
	xmlInnerLines  = strings.NewReplacer(`"`, match.LineEnd, "'", match.LineEnd, "<", match.LineEnd, ">", match.LineEnd)
	// xmlRemarked is the reverse of xmlUnmarked.
	xmlRemarked = strings.NewReplacer("\v\v", xmlLineFeed, "\v\f", xmlTab)
)

// dereferencedMarks decodes the references in lines, and keeps the marks of line feeds and tabs.
func dereferencedMarks(lines string) string { return xmlRemarked.Replace(dereferencedLines(lines)) }

// xmlInnerTexts returns the lines of innerTexts of all literals in the lines of xmlStructured.
func xmlInnerTexts(structured string) string {
	if !strings.Contains(structured, " "+xmlOpen+"!") {
		return ""
	}
	lines := dereferencedMarks(xmlRaw(strings.Join(xmlDeclaration.FindAllString(structured, -1), match.LineEnd)))
	for round := 1; round < limits.DecodeRounds && strings.Contains(lines, "&"); round++ {
		lines = dereferencedMarks(lines)
	}
	inner := xmlInnerLines.Replace(strings.Join(xmlInnerLine.FindAllString(lines, -1), match.LineEnd))
	return xmlUnmarked.Replace(withoutEmptyLines(withoutBlankEnds(inner)))
}
