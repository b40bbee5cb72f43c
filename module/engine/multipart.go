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

// exactForm returns the text of the parts of a form in which every server finds the same boundary lines: each delimiter is
// at the start of the body or after CRLF, and before CRLF. The last one may have dashes, and nothing but blanks behind it.
func exactForm(body, delimiter []byte) (form []byte, isExact bool) {
	form = body
	for _, end := range []string{string(delimiter) + "--", string(delimiter) + "-", string(delimiter)} {
		if before, found := bytes.CutSuffix(bytes.TrimRight(body, xmlBlanks), []byte(end)); found {
			form = before
			break
		}
	}
	count, starts := bytes.Count(form, delimiter), bytes.Count(form, []byte("\r\n"+string(delimiter)))
	if bytes.HasPrefix(form, delimiter) {
		starts++
	}
	if starts != count || !areEnded(form, delimiter) {
		return nil, false
	}
	if len(form) == 0 || len(form) == len(body) {
		return form, true
	}
	return bytes.CutSuffix(form, crlf)
}

// areEnded reports whether CRLF follows each delimiter. Counts are not enough: with the boundary "-", CRLF follows the last three
// of four dashes, which are a line of text.
func areEnded(form, delimiter []byte) bool {
	ended := bytes.ReplaceAll(form, append(delimiter[:len(delimiter):len(delimiter)], crlf...), []byte("\n\r\n"))
	return bytes.Equal(bytes.ReplaceAll(form, delimiter, crlf[1:]), ended)
}

var (
	crlf    = []byte("\r\n")
	headEnd = []byte("\r\n\r\n")
)

// inspectExactForm inspects parts until the head of one is ambiguous. Some servers then find its end elsewhere.
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
			b.value(body)
			return
		}
		b.inspectExactPart(part)
	}
}

// plainField is the head of a field as browsers send it. All servers read this name, and neither a file nor a character set nor
// a transfer encoding. The general inspection of a head takes an interpreter several times as long.
var plainField = regexp.MustCompile(`\A\r\nContent-Disposition: form-data; name="([0-9A-Za-z.\[\]-][\w.\[\]-]*)"\r\n\r\n`)

func (b *bodyInspection) inspectPlainField(name, content []byte) {
	if b.charge() && b.charge() && b.text(name) { // the part and the name count
		b.content(content, limits.MultipartContentBytes)
	}
}

// hasExactHead reports whether all servers find the same head: one with an empty line as its end, and CRLF as its only line
// end. The body may end inside of the last head.
func hasExactHead(part []byte, isLast bool) bool {
	head, _, found := bytes.Cut(part, headEnd)
	if !found {
		head = bytes.TrimSuffix(head, crlf[:1])
	}
	ends := bytes.Count(head, crlf)
	return (found || isLast) && ends == bytes.Count(head, crlf[:1]) && ends == bytes.Count(head, crlf[1:])
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

func (b *bodyInspection) inspectExactPart(part []byte) {
	if !b.charge() {
		return
	}
	head, content, hasContent := cutHead(part)
	lines := headerLines(string(head), dispositionLine)
	mentions := allMentions(lines)
	b.inspectNames(mentions)
	if b.isDone || !hasContent || isFile(string(head), lines) {
		return
	}
	b.hasUnknownPart = b.hasUnknownPart || hasUnknownContent(string(head), mentions, content)
	var encodings []string
	if len(encodingsIn(string(head))) > 0 {
		encodings = encodingsIn(strings.Join(headerLines(string(head), encodingLine), "\n"))
	}
	b.inspectContent(content, encodings)
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
		isCharsetField(mentions) && !has(asciiCharsets, lower(string(bytes.Trim(content, xmlBlanks))))
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
