package interpreted

import (
	"path"
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine/match"
)

// This file has the steps that resolve, cut and remove segments. Each line of a text is a value.

const (
	emptySegment    = "/\x00\x01/"
	escapedNullByte = "\x00\x02"
)

var (
	rootedLine        = regexp.MustCompile(`(?m)^/.*`)
	segmentParameters = regexp.MustCompile(`;[^/\n]*`)
	streamNames       = regexp.MustCompile(`(::\$[^/\n]*)|([^/\n]+?)::\$[^/\n]*|(:\$[^/\n]*)|([^/\n]+?):\$[^/\n]*|([^/\n]+)`)
	windowsTails      = regexp.MustCompile(`(?m)([^/. \n])[. ]+(/|$)`)
	// namedEnds appends a temporary name to a final slash or dot segment of a line, because path.Clean removes final slashes. unnamed
	// removes these names and those of withNames.
	namedEnds   = strings.NewReplacer("/..\n", "/../\x00\x03\n", "/.\n", "/./\x00\x04\n", "/\n", "/\x00\x05\n")
	nameRemover = strings.NewReplacer("/../\x00\x03\n", "/..\n", "/./\x00\x04\n", "/.\n", "\x00\x03\n", "\n", "\x00\x04\n", "\n", "\x00\x05\n", "\n", "\x00\x01", "", "\x00\x02", "\x00")
)

// collapsed replaces each run of slashes by one.
func collapsed(s string) string {
	for strings.Contains(s, "//") {
		s = strings.ReplaceAll(s, "//", "/")
	}
	return s
}

// withoutDots resolves dot segments with path.Clean. That follows RFC 3986, except that it removes empty segments and final slashes.
func withoutDots(s string) string {
	whole := s + match.LineEnd
	if !strings.Contains(whole, "/./") && !strings.Contains(whole, "/../") && !strings.Contains(whole, "/.\n") && !strings.Contains(whole, "/..\n") {
		return s
	}
	named := namedEnds.Replace(withNames(whole))
	whole = nameRemover.Replace(rootedLine.ReplaceAllStringFunc(named, path.Clean))
	return whole[:len(whole)-1]
}

// withNames gives empty segments a temporary name, because path.Clean removes them.
func withNames(s string) string {
	s = strings.ReplaceAll(s, "\x00", escapedNullByte)
	s = strings.ReplaceAll(s, "//", emptySegment)
	return strings.ReplaceAll(s, "//", emptySegment) // the first pass skips every second slash of a run
}

// withoutParameters cuts each segment at its first semicolon.
func withoutParameters(s string) string {
	if !strings.Contains(s, ";") {
		return s
	}
	return segmentParameters.ReplaceAllLiteralString(s, "")
}

// windowsNames replaces each segment by the name that Windows opens for it: without an alternate data stream, and without trailing dots
// and spaces.
func windowsNames(s string) string {
	if strings.Contains(s, ":$") {
		s = streamNames.ReplaceAllString(s, "${1}${2}${3}${4}${5}")
	}
	if !strings.Contains(s, "./") && !strings.Contains(s, " /") && !hasLineEndInDotOrSpace(s) {
		return s
	}
	return windowsTails.ReplaceAllString(s, "${1}${2}")
}
