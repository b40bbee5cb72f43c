package engine

import (
	"strings"

	"github.com/request-guard/guard/limits"
)

// format is how the values of a body are found.
type format uint8

const (
	noFormat format = iota // such bodies are not inspected
	formFormat
	jsonFormat
	multipartFormat
)

// formatOf is the format of a media type without parameters.
func formatOf(mediaType string) format {
	switch mediaType = lower(mediaType); {
	case mediaType == "application/x-www-form-urlencoded":
		return formFormat
	case mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"): // Traefik's interpreter evaluates one condition of a case
		return jsonFormat
	case mediaType == "multipart/form-data":
		return multipartFormat
	}
	return noFormat
}

// bodyTypes are the Content-Type lines of a body that is not encoded.
func bodyTypes(header map[string][]string) []string {
	for _, encoding := range valuesOf(header, "content-encoding", exactly) {
		if encoding = lower(strings.Trim(encoding, blanks)); encoding != "" && encoding != "identity" {
			return nil
		}
	}
	return valuesOf(header, "content-type", exactly)
}

// single are lists of one format, by the format: nearly all bodies have one.
var single = [][]format{nil, {formFormat}, {jsonFormat}, {multipartFormat}}

// areTooLong reports whether the lines exceed the limit of their length. The body is then read in every format, with
// anyBoundary.
func areTooLong(lines []string) bool {
	return len(strings.Join(lines, ",")) > limits.ContentTypeBytes
}

var everyFormat = []format{formFormat, jsonFormat, multipartFormat}

// formatsOf returns the formats that Content-Type lines name, each once, in order of first mention. Some servers use
// the first line, some the last, and some join the lines. Commas in quotation marks also separate, because some
// servers ignore the marks.
func formatsOf(lines []string) []format {
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

// boundariesOf returns the values of the parameter boundary, wherever its name occurs: PHP finds it inside other names
// and quoted text. The result is anyBoundary when a server could use a boundary that is not in the list.
func boundariesOf(lines []string) []string {
	if areTooLong(lines) {
		return []string{anyBoundary}
	}
	var found []string
	for _, line := range lines {
		lowered := lowerText.Replace(line)
		for {
			name := strings.Index(lowered, "boundary")
			if name < 0 {
				break
			}
			between, value, hasValue := strings.Cut(lowered[name:], "=")
			if !hasValue {
				break
			}
			if strings.Contains(between, "*") {
				return []string{anyBoundary}
			}
			lowered = value
			found = distinct(append(found, valueReadings(line[len(line)-len(value):], true)...))
			if areTooMany(found) {
				return []string{anyBoundary}
			}
		}
	}
	if len(found) == 0 {
		return []string{anyBoundary}
	}
	return found
}

// areTooMany reports whether the boundaries exceed a limit of length or number.
func areTooMany(boundaries []string) bool {
	for _, boundary := range boundaries {
		if len(boundary) > limits.MultipartBoundaryBytes {
			return true
		}
	}
	return len(boundaries) > limits.MultipartBoundaries
}
