package engine

import (
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
)

// formatOf is the format of a media type without parameters.
func formatOf(mediaType string) format {
	switch mediaType = lower(mediaType); {
	case mediaType == "" || mediaType == "text/plain": // Traefik's interpreter evaluates one condition of a case
		return anyFormat
	case mediaType == "application/x-www-form-urlencoded":
		return formFormat
	case strings.HasPrefix(mediaType, "application/grpc") || strings.HasPrefix(mediaType, "application/connect+"):
		return noFormat // a stream, whose bytes may never come
	case strings.HasSuffix(mediaType, "/json") || strings.HasSuffix(mediaType, "+json"):
		return jsonFormat
	case strings.HasSuffix(mediaType, "/xml") || strings.HasSuffix(mediaType, "+xml"):
		return xmlFormat
	case strings.HasPrefix(mediaType, "multipart/"):
		return multipartFormat
	}
	return noFormat
}

func contentTypes(header map[string][]string) []string {
	return header["Content-Type"]
}

// single are lists of one format, by the format: nearly all bodies have one.
var single = [][]format{nil, {formFormat}, {jsonFormat}, {xmlFormat}, {multipartFormat}, {anyFormat}}

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
			member = strings.TrimLeft(member, blanks)
			if end := strings.IndexAny(member, ";"+blanks); end >= 0 {
				member = member[:end]
			}
			switch f := formatOf(member); {
			case formats == nil:
				formats = single[f]
			case f != noFormat && !hasFormat(formats, f):
				formats = append(formats, f) // single has no spare capacity, so this copies
			}
		}
	}
	return formats
}

var (
	looksLikeJSON = regexp.MustCompile(`^\x{FEFF}?[ \t\r\n]*[\[{"]`)
	looksLikeForm = regexp.MustCompile(`^[ \t\r\n]*[!#-&(-;?-z|~]*=`)
)

// resolved replaces anyFormat by what a body looks like: JSON by its first character, a form by printable ASCII before
// the first equals sign.
func resolved(named []format, body []byte) []format {
	if !hasFormat(named, anyFormat) {
		return named
	}
	var formats []format
	for _, f := range named {
		if f != anyFormat {
			formats = withFormat(formats, f)
			continue
		}
		if looksLikeJSON.Match(body) {
			formats = withFormat(formats, jsonFormat)
		}
		if looksLikeForm.Match(body) {
			formats = withFormat(formats, formFormat)
		}
	}
	return formats
}

func withFormat(formats []format, f format) []format {
	if hasFormat(formats, f) {
		return formats
	}
	return append(formats, f)
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
func parameterValues(lines []string, name string, keepsQuotes bool) (found []string, isWhole bool) {
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
			found = distinct(append(found, valueReadings(line[len(line)-len(value):], keepsQuotes)...))
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
