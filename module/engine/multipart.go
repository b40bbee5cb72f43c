package engine

import (
	"bytes"
	"regexp"

	"github.com/request-guard/guard/limits"
)

// eachPartValue yields the names of each part of a multipart/form-data body (RFC 7578), and the content of parts that
// are not a file. Lines end in CRLF or LF. A missing end is the end of the body.
func eachPartValue(body []byte, boundary string, yield func(value []byte) bool) {
	delimiter := append([]byte("\n--"), boundary...)
	_, rest, found := cutFirstDelimiter(body, delimiter)
	for found {
		var part []byte
		part, rest, found = bytes.Cut(rest, delimiter)
		if boundary != anyBoundary && bytes.HasPrefix(part, []byte("--")) {
			return
		}
		if found {
			part = bytes.TrimSuffix(part, []byte("\r"))
		}
		if !eachValueOfPart(part, boundary, yield) {
			return
		}
	}
}

// cutFirstDelimiter also finds a delimiter at the start of the body, which has no line end before it.
func cutFirstDelimiter(body, delimiter []byte) (preamble, rest []byte, found bool) {
	if bytes.HasPrefix(body, delimiter[1:]) {
		return nil, body[len(delimiter)-1:], true
	}
	return bytes.Cut(body, delimiter)
}

// eachValueOfPart also yields the head where the boundary is unknown: the text may then be the content of a field.
func eachValueOfPart(part []byte, boundary string, yield func(value []byte) bool) bool {
	head, content, hasContent := cutHead(part)
	lines := dispositionsOf(string(head))
	if !eachName(lines, yield) {
		return false
	}
	isAny := boundary == anyBoundary
	if isAny && !yield(start(head, limits.MultipartContentBytes)) {
		return false
	}
	return !hasContent || !isAny && areFiles(lines) || yield(start(content, limits.MultipartContentBytes))
}

// cutHead removes the remainder of the boundary line, and cuts at the first empty line.
func cutHead(part []byte) (head, content []byte, hasContent bool) {
	line := bytes.TrimLeft(part, " \t")
	line = bytes.TrimPrefix(line, []byte("\r"))
	if len(line) > 0 && line[0] == '\n' {
		part = line[1:]
	}
	if found := emptyLine.FindIndex(part); found != nil {
		return bytes.TrimSuffix(part[:found[0]], []byte("\r")), part[found[1]:], true
	}
	return part, nil, false
}

var emptyLine = regexp.MustCompile(`\n\r?\n`)
