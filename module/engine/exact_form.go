package engine

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

// exactForm returns the text of the parts of a form in which every server finds the same boundary lines: each delimiter is
// at the start of the body or after CRLF, and before CRLF. The last one may have dashes, and nothing but blanks behind it.
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

const (
	fieldStart = "\r\nContent-Disposition: form-data; name=\""
	plainName  = `[0-9A-Za-z.\[\]-][\w.\[\]-]*`
)

// plainField is the head of a field as browsers send it. All servers read this name, and neither a file nor a character set nor
// a transfer encoding. The general inspection of a head takes an interpreter several times as long.
var plainField = regexp.MustCompile(`\A` + fieldStart + `(` + plainName + `)"\r\n\r\n`)

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
