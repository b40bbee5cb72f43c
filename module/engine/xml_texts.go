package engine

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/request-guard/guard/limits"
)

// XMLElements joins the texts of elements that contain other elements: with inner texts (XPath, DOM), and without (encoding/xml).
type XMLElements struct {
	joined [][]byte // joined texts; with isCut, the last one is cut
	isCut  bool     // the joined texts exceed limits.XmlJoinedBytes
	used   int      // bytes of the joined texts
	filled int      // number of texts that are not blank
	texts  [][]byte // texts of all elements so far
	open   []*xmlElement
}

type xmlElement struct {
	direct       [][]byte // texts of the element, without those of inner elements
	filled       int      // number of texts in direct that are not blank
	first        int      // index of the element's first text in XMLElements.texts
	filledBefore int      // XMLElements.filled at the start of the element
}

func (e *XMLElements) Start() {
	e.open = append(e.open, &xmlElement{first: len(e.texts), filledBefore: e.filled})
}

// Text adds a text of the innermost open element, with undecoded references.
func (e *XMLElements) Text(text []byte) {
	if len(e.open) == 0 || len(text) == 0 {
		return
	}
	element := e.open[len(e.open)-1]
	element.direct = append(element.direct, text)
	e.texts = append(e.texts, text)
	if len(bytes.Trim(text, XMLBlanks)) > 0 {
		element.filled++
		e.filled++
	}
}

// End ends the innermost open element. An end without a start is ignored.
func (e *XMLElements) End() {
	if len(e.open) == 0 {
		return
	}
	element := e.open[len(e.open)-1]
	e.open = e.open[:len(e.open)-1]
	if element.filled > 1 {
		e.join(element.direct)
	}
	if element.filled > 0 && e.filled-element.filledBefore > element.filled {
		e.join(e.texts[element.first:])
	}
}

// Joined ends all elements. It returns the joined texts, and whether the last is cut.
func (e *XMLElements) Joined() (texts [][]byte, isCut bool) {
	for len(e.open) > 0 {
		e.End()
	}
	return e.joined, e.isCut
}

func (e *XMLElements) join(texts [][]byte) {
	if e.isCut {
		return
	}
	whole := bytes.Join(texts, nil)
	left := limits.XmlJoinedBytes - e.used
	e.isCut = len(whole) > left
	e.used += len(whole)
	e.joined = append(e.joined, bytes.Trim(prefixOf(whole, left), XMLBlanks))
}

var (
	// XMLReference matches references to characters, which no document can redefine.
	XMLReference = regexp.MustCompile(`&(?:lt|gt|amp|apos|quot|#[0-9]+|#[xX][0-9A-Fa-f]+);`)
	XMLNames     = map[string]string{"&lt;": "<", "&gt;": ">", "&amp;": "&", "&apos;": "'", "&quot;": `"`}
)

// dereferenced decodes the references in a text. Other references, and numbers of surrogates or beyond the last code point,
// stay unchanged.
func dereferenced(raw []byte) []byte {
	if bytes.IndexByte(raw, '&') < 0 {
		return raw
	}
	return []byte(XMLReference.ReplaceAllStringFunc(string(raw), Dereference))
}

// Dereference returns the character of a reference that XMLReference matches, or the reference if there is no such character.
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

// innerTexts returns the texts in a literal. The literal can be another declaration, such as <!ENTITY x SYSTEM
// 'file:///etc/passwd'>. Each declaration inside another one decodes references once more, so references are decoded
// limits.DecodeRounds times.
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
