package engine

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

// inspectParts inspects the names of each part of a multipart/form-data body (RFC 7578), and the content of parts that are not
// a file, then the strings of JSON in these contents. Parts begin after lines that begin with the delimiter. If servers can find
// different boundary lines, it also inspects the parts after every delimiter, if there are more of them, and then the whole body.
func (b *bodyInspection) inspectParts(body []byte, boundary string) {
	delimiter := []byte("--" + boundary)
	if b.isDone || !bytes.Contains(body, delimiter) {
		return
	}
	b.hasParts = true
	b.fields = nil
	b.inspectPieces(body, boundary, delimiter)
	if !b.isDone {
		b.eachNestedString(b.fields, b.eachJSONValue, b.inspectBodyValue)
	}
}

func (b *bodyInspection) inspectPieces(body []byte, boundary string, delimiter []byte) {
	if boundary != anyBoundary {
		if form, isExact := exactForm(body, delimiter); isExact {
			b.inspectExactForm(bytes.Split(form, delimiter)[1:], body)
			return
		}
	}
	pieces := bytes.Split(body, delimiter)
	lines := joinedLines(pieces, body, delimiter)
	encodings := encodingsIn(string(body))
	b.inspectAmbiguous(lines, encodings)
	if boundary != anyBoundary && len(pieces) > len(lines) {
		b.inspectAmbiguous(pieces, encodings)
	}
	b.inspectBodyValue(body)
}

// joinedLines joins two pieces again if the delimiter between them is in the middle of a line.
func joinedLines(pieces [][]byte, body, delimiter []byte) [][]byte {
	var lines [][]byte
	start, end, last := 0, 0, len(pieces)-1
	for i, piece := range pieces {
		end += len(piece)
		if i == last || end == 0 || endsLine(piece) {
			lines = append(lines, body[start:end])
			start = end + len(delimiter)
		}
		end += len(delimiter)
	}
	return lines
}

func endsLine(text []byte) bool {
	return len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r')
}

// withoutLastEnd returns a piece without the line end before the delimiter that follows it.
func withoutLastEnd(pieces [][]byte, i int) []byte {
	piece := pieces[i]
	if i == len(pieces)-1 {
		return piece
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(piece, crlf[1:]), crlf[:1]) // removes CRLF, LF or CR
}

// inspectAmbiguous inspects all pieces of a body: the text before the first delimiter, and the parts.
func (b *bodyInspection) inspectAmbiguous(pieces [][]byte, encodings []string) {
	b.inspectAtMost(withoutLastEnd(pieces, 0), limits.MultipartContentBytes, false)
	for i := 1; i < len(pieces) && !b.isDone; i++ {
		b.inspectAmbiguousPart(withoutLastEnd(pieces, i), encodings)
	}
}

// inspectAmbiguousPart also inspects a head and a file as the content of a field, in any of the encodings.
func (b *bodyInspection) inspectAmbiguousPart(part []byte, encodings []string) {
	if !b.countOne() {
		return
	}
	head, content, hasContent := cutHead(part)
	parameters := nameParameters(headerLines(string(head), dispositionLine))
	b.inspectNames(parameters)
	if hasContent && !b.isDone {
		b.hasUnknownPart = b.hasUnknownPart || hasUnknownPartCharset(string(head), parameters, content)
	}
	b.inspectAtMost(head, limits.MultipartContentBytes, false)
	var texts []string
	if hasContent {
		texts = append(texts, string(content))
	}
	for _, end := range []string{"\r\n\r\n", "\r\r"} { // some servers accept only these as the end of a head
		if _, text, found := strings.Cut(string(part), end); found {
			texts = append(texts, text)
		}
	}
	f := field{encodings: encodings, isFile: isFileField(parameters), isJSON: hasJSONType(string(head))}
	for _, text := range distinctTexts(texts) {
		b.inspectContent([]byte(text), f)
	}
}

// field has what decides how the content of a field is read.
type field struct {
	encodings []string // transfer encodings that servers may decode
	isFile    bool     // servers may read the name as file
	isJSON    bool     // the Content-Type is JSON
}

// isFileField reports whether servers may read a name of a part as file.
func isFileField(parameters []nameParameter) bool {
	for _, p := range parameters {
		for _, name := range wordReadings(valueReadings(p.text, false)) {
			if isFileKey(name) || p.isExtended && isFileKey(extendedText(name)) {
				return true
			}
		}
	}
	return false
}

func hasJSONType(head string) bool {
	return mentionsJSON(LowerText.Replace(strings.Join(headerLines(head, typeLine), "\n")))
}

// inspectContent inspects the content of a field, verbatim and decoded.
func (b *bodyInspection) inspectContent(content []byte, f field) {
	b.inspectDecoded(content, f)
	if b.isDone || len(f.encodings) == 0 {
		return
	}
	for _, text := range decodedTexts(f.encodings, string(prefixOf(content, limits.MultipartContentBytes))) {
		b.inspectDecoded([]byte(text), f)
	}
}

// inspectDecoded inspects one reading of a content, also as the value of the key file if f is that field. It records JSON.
func (b *bodyInspection) inspectDecoded(content []byte, f field) {
	text := prefixOf(content, limits.MultipartContentBytes)
	b.inspectAtMost(content, limits.MultipartContentBytes, false)
	if f.isFile && !b.isDone {
		b.inspectBodyValue([]byte(filePairStart + string(text)))
	}
	if f.isJSON || startsJSON(text) {
		b.fields = append(b.fields, text)
	} else {
		b.fields = append(b.fields, b.jsonIn64(text)...)
	}
}

// hasUnknownPartCharset reports whether a part may have a character set outside of asciiCharsets.
func hasUnknownPartCharset(head string, parameters []nameParameter, content []byte) bool {
	return hasUnknownCharset(headerLines(head, typeLine)) ||
		isCharsetField(parameters) && !IsASCIICharset(string(bytes.Trim(content, XMLBlanks)))
}

// cutHead splits a part at its first empty line. It removes the end of the boundary line before the head.
func cutHead(part []byte) (head, content []byte, hasContent bool) {
	if rest, isFound := withoutLineEnd(bytes.TrimLeft(part, " \t")); isFound {
		part = rest
	}
	if rest, isEmpty := withoutLineEnd(part); isEmpty {
		return nil, rest, true
	}
	if found := emptyLine.FindIndex(part); found != nil {
		return bytes.TrimSuffix(part[:found[0]], []byte("\r")), part[found[1]:], true
	}
	return part, nil, false
}

func withoutLineEnd(text []byte) (rest []byte, isFound bool) {
	return bytes.CutPrefix(bytes.TrimPrefix(text, []byte("\r")), []byte("\n"))
}

var emptyLine = regexp.MustCompile(`\n\r?\n`)
