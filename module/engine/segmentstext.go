package engine

import (
	"path"
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine/match"
)

// The steps of library.go that resolve and remove segments, and parts of them.

const (
	emptySegment    = "/\x00\x01/"
	escapedNullByte = "\x00\x02"
)

var (
	rootedLines    = regexp.MustCompile(`(?m)^/.*`)
	textParameters = regexp.MustCompile(`;[^/\n]*`)
	emptySegments  = strings.NewReplacer("\x00\x01", "", "\x00\x02", "\x00")
	namedEnds      = strings.NewReplacer("/..\n", "/../\x00\x03\n", "/.\n", "/./\x00\x04\n", "/\n", "/\x00\x05\n")
	unnamed        = strings.NewReplacer("/../\x00\x03\n", "/..\n", "/./\x00\x04\n", "/.\n", "\x00\x03\n", "\n", "\x00\x04\n", "\n", "\x00\x05\n", "\n", "\x00\x01", "", "\x00\x02", "\x00")
)

// longPart is the number of bytes from which an interpreter takes less time for a step on a part of a text than an expression does.
const longPart = 32

// indexOrEnd is the index of the first of some bytes, or the length.
func indexOrEnd(text, some string) int {
	if at := strings.IndexAny(text, some); at >= 0 {
		return at
	}
	return len(text)
}

func collapseText(s string) string {
	for strings.Contains(s, "//") {
		s = strings.ReplaceAll(s, "//", "/")
	}
	return s
}

// dotsText is dots for lines.
func dotsText(s string) string {
	if !strings.Contains(s, "/.") {
		return s
	}
	if !strings.Contains(s, match.LineEnd) {
		return dotsLine(s)
	}
	whole := s + match.LineEnd
	if !strings.Contains(whole, "/./") && !strings.Contains(whole, "/../") && !strings.Contains(whole, "/.\n") && !strings.Contains(whole, "/..\n") {
		return s
	}
	if lines := splitLines(s); len(lines)*longPart < len(s) {
		for i, line := range lines {
			if strings.HasPrefix(line, "/") && strings.Contains(line, "/.") {
				lines[i] = dotsLine(line)
			}
		}
		return strings.Join(lines, match.LineEnd)
	}
	named := namedEnds.Replace(withNames(whole))
	whole = unnamed.Replace(rootedLines.ReplaceAllStringFunc(named, path.Clean))
	return whole[:len(whole)-1]
}

// withNames gives empty segments a temporary name, because path.Clean removes them.
func withNames(s string) string {
	s = strings.ReplaceAll(s, "\x00", escapedNullByte)
	s = strings.ReplaceAll(s, "//", emptySegment)
	return strings.ReplaceAll(s, "//", emptySegment) // the first pass skips every second slash of a run
}

// dotsLine is dots. path.Clean resolves segments as RFC 3986 does, except for empty ones and the last slash. Where there are
// several lines, the place behind the last slash gets a temporary name too.
func dotsLine(s string) string {
	if !strings.HasPrefix(s, "/") || !strings.Contains(s, "/.") {
		return s
	}
	hasEmpty := strings.Contains(s, "//")
	if hasEmpty {
		s = withNames(s)
	}
	clean := path.Clean(s)
	if clean != "/" && (strings.HasSuffix(s, "/") || strings.HasSuffix(s, "/.") || strings.HasSuffix(s, "/..")) {
		clean += "/"
	}
	if hasEmpty {
		return emptySegments.Replace(clean)
	}
	return clean
}

// bareLines returns the lines that end in a slash, without their final slashes, and perhaps other lines; "": none ends in one.
func bareLines(lines string) string {
	if !strings.HasSuffix(lines, "/") && !strings.Contains(lines, "/\n") {
		return ""
	}
	bare := linesWith(lines, markedSlashes) + match.LineEnd
	for most := 1 << 12; most > 0 && strings.Contains(bare, "//\n"); most /= 2 {
		bare = strings.ReplaceAll(bare, strings.Repeat("/", most)+match.LineEnd, match.LineEnd)
	}
	return strings.TrimSuffix(strings.ReplaceAll(bare, "/\n", match.LineEnd), match.LineEnd)
}

// withBareLines is some lines and their readings without final slashes, which come last.
func withBareLines(lines string) string {
	if bare := bareLines(lines); bare != "" {
		return lines + match.LineEnd + bare
	}
	return lines
}

func withoutParametersText(s string) string {
	if !strings.Contains(s, ";") {
		return s
	}
	parts := strings.Split(s, ";")
	if len(parts)*longPart >= len(s) {
		return textParameters.ReplaceAllLiteralString(s, "")
	}
	for i := 1; i < len(parts); i++ {
		parts[i] = parts[i][indexOrEnd(parts[i], "/\n"):]
	}
	return strings.Join(parts, "")
}
