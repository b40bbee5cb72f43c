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
	anyFormat // some servers guess the format from the body
	maybeJSON // some servers read the body as JSON if it looks like JSON
)

// formatOf returns the format of a media type in lower case. Symfony and Undertow read every type with the prefix of a
// form type as a form.
func formatOf(mediaType string) format {
	switch {
	case mediaType == "" || mediaType == "text/plain": // with a comma, Traefik's interpreter would evaluate only one condition
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
	// Some servers read a body as JSON if its Content-Type contains one of these texts. Laravel also finds them in
	// parameters, and Jackson reads JavaScript as JSON.
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

func isStream(mediaType string) bool {
	return strings.HasPrefix(mediaType, "application/grpc") || strings.HasPrefix(mediaType, "application/connect+")
}

// singleFormats has for each format a list with only this format. It saves an allocation for nearly all bodies.
var singleFormats = [][]format{nil, {formFormat}, {jsonFormat}, {xmlFormat}, {multipartFormat}, {anyFormat}, {maybeJSON}}

// areTooLong reports whether Content-Type lines are too long to parse. The body is then read in every format, with anyBoundary.
func areTooLong(lines []string) bool {
	return len(strings.Join(lines, ",")) > limits.ContentTypeBytes
}

var everyFormat = []format{formFormat, jsonFormat, xmlFormat, multipartFormat}

// formatsOf returns the formats that Content-Type lines name, each once, in order of first mention. Some servers use the first line,
// some the last, and some join the lines. Commas in quotation marks also separate, because some servers ignore the marks.
func formatsOf(lines []string) []format {
	if len(lines) == 0 {
		return singleFormats[anyFormat]
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

// guessFormat returns JSON, XML or noFormat by the first character. It skips NULs, because some servers detect UTF-16 and UTF-32.
func guessFormat(body []byte) format {
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

// resolveFormats replaces anyFormat and maybeJSON by the formats that a body looks like.
func resolveFormats(named []format, body []byte) []format {
	if !hasFormat(named, anyFormat) && !hasFormat(named, maybeJSON) {
		return named
	}
	var formats []format
	for _, f := range named {
		if f != anyFormat && f != maybeJSON {
			formats = withFormat(formats, f)
			continue
		}
		if g := guessFormat(body); f == anyFormat || g == jsonFormat {
			formats = withFormat(formats, g)
		}
		if f == anyFormat && looksLikeForm.Match(body) {
			formats = withFormat(formats, formFormat)
		}
	}
	return formats
}

// withFormat returns the list with one more format, unless that is noFormat or in the list.
func withFormat(formats []format, f format) []format {
	switch {
	case f == noFormat || hasFormat(formats, f):
		return formats
	case formats == nil:
		return singleFormats[f]
	}
	return append(formats, f) // a list of singleFormats has no spare capacity, so this copies it
}

func hasFormat(formats []format, f format) bool {
	for _, g := range formats {
		if g == f {
			return true
		}
	}
	return false
}

// anyBoundary makes every line that begins with -- a boundary line.
const anyBoundary = ""

// boundariesOf returns the boundaries that Content-Type lines may name, or anyBoundary when a server could use another one.
func boundariesOf(lines []string) []string {
	if areTooLong(lines) {
		return []string{anyBoundary}
	}
	found, isComplete := parameterValues(lines, "boundary", true)
	if len(found) == 0 || !isComplete || areTooLarge(found) {
		return []string{anyBoundary}
	}
	return found
}

// parameterValues returns the distinct values that servers may read for a parameter. The name also counts inside longer
// names and quoted text, because PHP finds it there. isComplete is false for a value in pieces (RFC 2231), and for more
// values than limits.MultipartBoundaries.
func parameterValues(lines []string, name string, keepsMarks bool) (found []string, isComplete bool) {
	for _, line := range lines {
		lowered := LowerText.Replace(line)
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
			found = distinctTexts(append(found, valueReadings(line[len(line)-len(value):], keepsMarks)...))
			if strings.Contains(between, "*") || len(found) > limits.MultipartBoundaries {
				return found, false
			}
		}
	}
	return found, true
}

func areTooLarge(boundaries []string) bool {
	for _, boundary := range boundaries {
		if len(boundary) > limits.MultipartBoundaryBytes {
			return true
		}
	}
	return false
}
