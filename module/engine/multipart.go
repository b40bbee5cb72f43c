package engine

import (
	"bytes"
	"regexp"

	"github.com/request-guard/guard/limits"
)

// inspectParts inspects the names of each part of a multipart/form-data body (RFC 7578), and the content of parts that
// are not a file. Lines end in CRLF or LF. A missing end is the end of the body. Each part and each name counts towards
// the limit on values, because their readings cost more than their bytes.
func (b *bodyInspection) inspectParts(body []byte, boundary string) {
	delimiter := delimiterOf(boundary)
	_, rest, found := cutFirstDelimiter(body, delimiter)
	b.hasParts = b.hasParts || found
	for found && !b.isDone {
		var part []byte
		part, rest, found = bytes.Cut(rest, delimiter)
		if boundary != anyBoundary && bytes.HasPrefix(part, []byte("--")) {
			return
		}
		if found {
			part = bytes.TrimSuffix(part, []byte("\r"))
		}
		if b.charge() {
			b.inspectPart(part, boundary)
		}
	}
}

func delimiterOf(boundary string) []byte { return append([]byte("\n--"), boundary...) }

// cutFirstDelimiter also finds a delimiter at the start of the body, which has no line end before it.
func cutFirstDelimiter(body, delimiter []byte) (preamble, rest []byte, found bool) {
	if bytes.HasPrefix(body, delimiter[1:]) {
		return nil, body[len(delimiter)-1:], true
	}
	return bytes.Cut(body, delimiter)
}

// inspectPart also inspects the head where the boundary is unknown: the text may then be the content of a field.
func (b *bodyInspection) inspectPart(part []byte, boundary string) {
	head, content, hasContent := cutHead(part)
	lines := headerLines(string(head), dispositionLine)
	mentions := allMentions(lines)
	b.inspectNames(mentions)
	isAny := boundary == anyBoundary
	hasContent = hasContent && (isAny || !areFiles(lines))
	if hasContent && !b.isDone && !b.hasUnknownPart {
		b.hasUnknownPart = hasUnknownContent(string(head), mentions, content)
	}
	if isAny && !b.isDone {
		b.content(head, limits.MultipartContentBytes)
	}
	if hasContent && !b.isDone {
		b.content(content, limits.MultipartContentBytes)
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
