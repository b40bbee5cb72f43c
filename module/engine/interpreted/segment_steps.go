package interpreted

import (
	"path"
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine/match"
)

const (
	emptySegment    = "/\x00\x01/"
	escapedNullByte = "\x00\x02"
)

var (
	rootedLine        = regexp.MustCompile(`(?m)^/.*`)
	segmentParameters = regexp.MustCompile(`;[^/\n]*`)
	streamNames       = regexp.MustCompile(`(::\$[^/\n]*)|([^/\n]+?)::\$[^/\n]*|(:\$[^/\n]*)|([^/\n]+?):\$[^/\n]*|([^/\n]+)`)
	windowsTails      = regexp.MustCompile(`(?m)([^/. \n])[. ]+(/|$)`)
	// namedEnds appends a temporary name to a final slash or dot segment of a line, because path.Clean removes final slashes.
	// nameRemover removes these names and those of withNames.
	namedEnds   = strings.NewReplacer("/..\n", "/../\x00\x03\n", "/.\n", "/./\x00\x04\n", "/\n", "/\x00\x05\n")
	nameRemover = strings.NewReplacer("/../\x00\x03\n", "/..\n", "/./\x00\x04\n", "/.\n", "\x00\x03\n", "\n", "\x00\x04\n", "\n", "\x00\x05\n", "\n", "\x00\x01", "", "\x00\x02", "\x00")
)

func withSingleSlashes(s string) string {
	for strings.Contains(s, "//") {
		s = strings.ReplaceAll(s, "//", "/")
	}
	return s
}

// withoutDots resolves dot segments with path.Clean, which follows RFC 3986 but removes empty segments and final
// slashes. Both have temporary names during the call.
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

func withoutParameters(s string) string {
	if !strings.Contains(s, ";") {
		return s
	}
	return segmentParameters.ReplaceAllLiteralString(s, "")
}

// windowsNames removes alternate data streams, and trailing dots and spaces of segments, which Windows ignores.
func windowsNames(s string) string {
	if strings.Contains(s, ":$") {
		s = streamNames.ReplaceAllString(s, "${1}${2}${3}${4}${5}")
	}
	if !strings.Contains(s, "./") && !strings.Contains(s, " /") && !hasLineEndInDotOrSpace(s) {
		return s
	}
	return windowsTails.ReplaceAllString(s, "${1}${2}")
}
