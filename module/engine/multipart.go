package engine

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

// inspectParts inspects the names of each part of a multipart/form-data body (RFC 7578), and the content of parts that
// are not a file. Each part and each name counts towards the limit on values, because their readings cost more than their
// bytes. Where servers find different parts, all text is inspected: by the lines that begin with the delimiter, by each
// delimiter, and as a whole.
func (b *bodyInspection) inspectParts(body []byte, boundary string) {
	delimiter := []byte("--" + boundary)
	if b.isDone || !bytes.Contains(body, delimiter) {
		return
	}
	b.hasParts = true
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
	b.value(body)
}

// joinedLines joins pieces that a delimiter in the middle of a line separates.
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
	return bytes.TrimSuffix(bytes.TrimSuffix(piece, crlf[1:]), crlf[:1]) // CRLF, LF or CR
}

// inspectAmbiguous inspects the text before the first delimiter, and all parts.
func (b *bodyInspection) inspectAmbiguous(pieces [][]byte, encodings []string) {
	b.content(withoutLastEnd(pieces, 0), limits.MultipartContentBytes)
	for i := 1; i < len(pieces) && !b.isDone; i++ {
		b.inspectAmbiguousPart(withoutLastEnd(pieces, i), encodings)
	}
}

// inspectAmbiguousPart also inspects the apparent head or file, which may be the content of a field. The content may have
// any of the encodings.
func (b *bodyInspection) inspectAmbiguousPart(part []byte, encodings []string) {
	if !b.charge() {
		return
	}
	head, content, hasContent := cutHead(part)
	mentions := allMentions(headerLines(string(head), dispositionLine))
	b.inspectNames(mentions)
	if hasContent && !b.isDone {
		b.hasUnknownPart = b.hasUnknownPart || hasUnknownContent(string(head), mentions, content)
	}
	b.content(head, limits.MultipartContentBytes)
	var texts []string
	if hasContent {
		texts = append(texts, string(content))
	}
	for _, end := range []string{"\r\n\r\n", "\r\r"} { // some servers take only these for an empty line
		if _, text, found := strings.Cut(string(part), end); found {
			texts = append(texts, text)
		}
	}
	for _, text := range distinct(texts) {
		b.inspectContent([]byte(text), encodings)
	}
}

// inspectContent inspects the content of a part, and what it is in transfer encodings.
func (b *bodyInspection) inspectContent(content []byte, encodings []string) {
	b.content(content, limits.MultipartContentBytes)
	if b.isDone || len(encodings) == 0 {
		return
	}
	for _, text := range decodedTexts(encodings, string(start(content, limits.MultipartContentBytes))) {
		b.content([]byte(text), limits.MultipartContentBytes)
	}
}

// hasUnknownContent reports whether some server reads a part, or all parts, in a character set in which ASCII text has other
// bytes.
func hasUnknownContent(head string, mentions []nameMention, content []byte) bool {
	return hasUnknownCharset(headerLines(head, typeLine)) ||
		isCharsetField(mentions) && !IsASCIICharset(string(bytes.Trim(content, XMLBlanks)))
}

// cutHead removes the remainder of the boundary line, and cuts at the first empty line.
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
