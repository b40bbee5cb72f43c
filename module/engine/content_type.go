package engine

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

// format is how the values of a body are found.
type format uint8

const (
	noFormat format = iota // such bodies are not inspected
	formFormat
	jsonFormat
	xmlFormat
	multipartFormat
	anyFormat // some servers read the body as what it looks like
	maybeJSON // some servers read the body as JSON if it looks like that
)

// formatOf is the format of a media type in lower case without parameters. Symfony and Undertow read each type that begins
// like that of a form as one. Rails has more names for JSON and XML.
func formatOf(mediaType string) format {
	switch {
	case mediaType == "" || mediaType == "text/plain": // Traefik's interpreter evaluates one condition of a case
		return anyFormat
	case strings.HasPrefix(mediaType, "application/x-www-form-urlencoded"):
		return formFormat
	case hasSuffix(mediaType, jsonTypes):
		return jsonFormat
	case hasSuffix(mediaType, xmlTypes):
		return xmlFormat
	case strings.HasPrefix(mediaType, "multipart/"):
		return multipartFormat
	}
	return noFormat
}

var (
	jsonTypes = []string{"/json", "+json", "/x-json", "/jsonrequest"}
	xmlTypes  = []string{"/xml", "+xml", "/x-xml"}
	// jsonMentions are texts in a member by which some server takes the body for JSON. Laravel finds them in parameters,
	// too. Jackson reads JavaScript as JSON.
	jsonMentions = []string{"/json", "+json", "/javascript", "/x-javascript"}
)

func hasSuffix(text string, suffixes []string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(text, suffix) {
			return true
		}
	}
	return false
}

func mentionsJSON(member string) bool {
	for _, mention := range jsonMentions {
		if strings.Contains(member, mention) {
			return true
		}
	}
	return false
}

// isStream reports a type whose bytes may never come.
func isStream(mediaType string) bool {
	return strings.HasPrefix(mediaType, "application/grpc") || strings.HasPrefix(mediaType, "application/connect+")
}

func contentTypes(header map[string][]string) []string {
	return header["Content-Type"]
}

// single are lists of one format, by the format: nearly all bodies have one.
var single = [][]format{nil, {formFormat}, {jsonFormat}, {xmlFormat}, {multipartFormat}, {anyFormat}, {maybeJSON}}

// areTooLong reports whether the lines exceed the limit of their length. The body is then read in every format, with
// anyBoundary.
func areTooLong(lines []string) bool {
	return len(strings.Join(lines, ",")) > limits.ContentTypeBytes
}

var everyFormat = []format{formFormat, jsonFormat, xmlFormat, multipartFormat}

// formatsOf returns the formats that Content-Type lines name, each once, in order of first mention. Some servers use
// the first line, some the last, and some join the lines. Commas in quotation marks also separate, because some
// servers ignore the marks.
func formatsOf(lines []string) []format {
	if len(lines) == 0 {
		return single[anyFormat]
	}
	if areTooLong(lines) {
		return everyFormat
	}
	var formats []format
	for _, line := range lines {
		for isLast := false; !isLast; {
			member, rest, found := strings.Cut(line, ",")
			line, isLast = rest, !found
			member = lower(strings.TrimLeft(member, blanks))
			mediaType := member
			if end := strings.IndexAny(member, ";"+blanks); end >= 0 {
				mediaType = member[:end]
			}
			if isStream(mediaType) {
				continue
			}
			f := formatOf(mediaType)
			formats = withFormat(formats, f)
			if f != jsonFormat && mentionsJSON(member) {
				formats = withFormat(formats, maybeJSON)
			}
		}
	}
	return formats
}

var looksLikeForm = regexp.MustCompile(`^[ \t\r\n]*[!#-&(-;?-z|~]*=`)

// guess returns the format that the first character of a body shows: JSON, XML or noFormat. Some servers detect UTF-16 and
// UTF-32, in which that character has NULs around it, by themselves.
func guess(body []byte) format {
	body = bytes.TrimPrefix(body, []byte("\x00\x00"))
	for _, mark := range []string{ByteOrderMark, "\xFE\xFF", "\xFF\xFE"} {
		if bytes.HasPrefix(body, []byte(mark)) {
			body = body[len(mark):]
			break
		}
	}
	body = bytes.TrimLeft(body, "\x00 \t\r\n")
	switch {
	case len(body) == 0:
		return noFormat
	case body[0] == '<':
		return xmlFormat
	case body[0] == '{' || body[0] == '[' || body[0] == '"':
		return jsonFormat
	}
	return noFormat
}

// resolved replaces anyFormat and maybeJSON by what a body looks like: JSON and XML by their first character, a form by
// printable ASCII before the first equals sign.
func resolved(named []format, body []byte) []format {
	if !hasFormat(named, anyFormat) && !hasFormat(named, maybeJSON) {
		return named
	}
	var formats []format
	for _, f := range named {
		if f != anyFormat && f != maybeJSON {
			formats = withFormat(formats, f)
			continue
		}
		if g := guess(body); f == anyFormat || g == jsonFormat {
			formats = withFormat(formats, g)
		}
		if f == anyFormat && looksLikeForm.Match(body) {
			formats = withFormat(formats, formFormat)
		}
	}
	return formats
}

// withFormat adds a format unless there is none or the list has it.
func withFormat(formats []format, f format) []format {
	switch {
	case f == noFormat || hasFormat(formats, f):
		return formats
	case formats == nil:
		return single[f]
	}
	return append(formats, f) // single has no spare capacity, so this copies
}

func hasFormat(formats []format, f format) bool {
	for _, g := range formats {
		if g == f {
			return true
		}
	}
	return false
}

// anyBoundary makes every line that begins with -- a boundary line. This covers each line that some server takes for
// one.
const anyBoundary = ""

// boundariesOf returns anyBoundary when a server could use a boundary that is not in the list.
func boundariesOf(lines []string) []string {
	if areTooLong(lines) {
		return []string{anyBoundary}
	}
	found, isWhole := parameterValues(lines, "boundary", true)
	if len(found) == 0 || !isWhole || areTooLarge(found) {
		return []string{anyBoundary}
	}
	return found
}

// parameterValues returns the distinct readings of a parameter, wherever its name occurs: PHP finds it inside other names
// and quoted text. isWhole is false where a value is in pieces (RFC 2231), or where there are more readings than a
// multipart form can have boundaries: some are then missing.
func parameterValues(lines []string, name string, keepsMarks bool) (found []string, isWhole bool) {
	for _, line := range lines {
		lowered := lowerText.Replace(line)
		for {
			at := strings.Index(lowered, name)
			if at < 0 {
				break
			}
			between, value, hasValue := strings.Cut(lowered[at:], "=")
			if !hasValue {
				break
			}
			lowered = value
			found = distinct(append(found, valueReadings(line[len(line)-len(value):], keepsMarks)...))
			if strings.Contains(between, "*") || len(found) > limits.MultipartBoundaries {
				return found, false
			}
		}
	}
	return found, true
}

// areTooLarge reports whether a boundary exceeds the limit of its length.
func areTooLarge(boundaries []string) bool {
	for _, boundary := range boundaries {
		if len(boundary) > limits.MultipartBoundaryBytes {
			return true
		}
	}
	return false
}
