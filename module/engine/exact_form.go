package engine

import (
	"bytes"
	"regexp"
	"strings"
)

// exactForm returns a form without its last delimiter. isExact is false if servers find different boundary lines.
func exactForm(body, delimiter []byte) (form []byte, isExact bool) {
	form = body
	for _, end := range []string{string(delimiter) + "--", string(delimiter) + "-", string(delimiter)} {
		if before, found := bytes.CutSuffix(bytes.TrimRight(body, XMLBlanks), []byte(end)); found {
			form = before
			break
		}
	}
	count, starts := bytes.Count(form, delimiter), bytes.Count(form, []byte("\r\n"+string(delimiter)))
	if bytes.HasPrefix(form, delimiter) {
		starts++
	}
	if starts != count || !areDelimitersEnded(form, delimiter) {
		return nil, false
	}
	if len(form) == 0 || len(form) == len(body) {
		return form, true
	}
	return bytes.CutSuffix(form, crlf)
}

// areDelimitersEnded reports whether CRLF follows each delimiter. Comparing the counts of "delimiter" and "delimiter CRLF" is not
// enough: the line "----" contains the delimiter "---" once at its start, and "--- CRLF" once at its end.
func areDelimitersEnded(form, delimiter []byte) bool {
	ended := bytes.ReplaceAll(form, append(delimiter[:len(delimiter):len(delimiter)], crlf...), []byte("\n\r\n"))
	return bytes.Equal(bytes.ReplaceAll(form, delimiter, crlf[1:]), ended)
}

var (
	crlf    = []byte("\r\n")
	headEnd = []byte("\r\n\r\n")
)

// inspectExactForm inspects the parts of an exact form. Servers find different parts from the first ambiguous head on, so from
// there it inspects all text, and then the whole body.
func (b *bodyInspection) inspectExactForm(parts [][]byte, body []byte) {
	for i := 0; i < len(parts) && !b.isDone; i++ {
		part := withoutLastEnd(parts, i)
		if at := plainField.FindSubmatchIndex(part); at != nil {
			b.inspectPlainField(part[at[2]:at[3]], part[at[1]:])
			continue
		}
		if !hasExactHead(part, i == len(parts)-1) {
			encodings := encodingsIn(string(body))
			for ; i < len(parts) && !b.isDone; i++ {
				b.inspectAmbiguousPart(withoutLastEnd(parts, i), encodings)
			}
			b.inspectBodyValue(body)
			return
		}
		b.inspectExactPart(part)
	}
}

const (
	fieldStart = "\r\nContent-Disposition: form-data; name=\""
	plainName  = `[0-9A-Za-z.\[\]-][\w.\[\]-]*`
)

// plainField matches the head of a field as browsers send it. An interpreter takes several times as long for other heads.
var plainField = regexp.MustCompile(`\A` + fieldStart + `(` + plainName + `)"\r\n\r\n`)

func (b *bodyInspection) inspectPlainField(name, content []byte) {
	if b.countOne() && b.countOne() && b.inspectUncounted(name) { // counts the part and the name
		b.inspectDecoded(content, field{isFile: isFileKey(string(name))})
	}
}

// hasExactHead reports whether all servers find the same head. The body may end inside of the last head.
func hasExactHead(part []byte, isLast bool) bool {
	head, _, found := bytes.Cut(part, headEnd)
	if !found {
		head = bytes.TrimSuffix(head, crlf[:1])
	}
	ends := bytes.Count(head, crlf)
	return (found || isLast) && ends == bytes.Count(head, crlf[:1]) && ends == bytes.Count(head, crlf[1:])
}

func (b *bodyInspection) inspectExactPart(part []byte) {
	if !b.countOne() {
		return
	}
	head, content, hasContent := cutHead(part)
	lines := headerLines(string(head), dispositionLine)
	parameters := nameParameters(lines)
	b.inspectNames(parameters)
	if b.isDone || !hasContent || isFile(string(head), lines) {
		return
	}
	b.hasUnknownPart = b.hasUnknownPart || hasUnknownPartCharset(string(head), parameters, content)
	var encodings []string
	if len(encodingsIn(string(head))) > 0 {
		encodings = encodingsIn(strings.Join(headerLines(string(head), encodingLine), "\n"))
	}
	b.inspectContent(content, field{encodings: encodings, isFile: isFileField(parameters), isJSON: hasJSONType(string(head))})
}
