package engine

import (
	"bytes"
	"regexp"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// fileEnd returns where the first segment with an extension ends that a slash follows, at or behind an index; negative: none does.
// /Microsoft.Sql/ is the folder of an API, not a file.
func fileEnd(path []byte, from int) int {
	for {
		dot := bytes.IndexByte(path[from:], '.')
		if dot < 0 {
			return dot
		}
		length := bytes.IndexByte(path[from+dot:], '/')
		if length < 0 {
			return length
		}
		from += dot + length
		extension := path[bytes.LastIndexByte(path[:from], '.')+1 : from]
		if len(extension) > 0 && !isCapitalized(extension) {
			return from
		}
	}
}

func isCapitalized(text []byte) bool {
	return len(text) > 1 && 'A' <= text[0] && text[0] <= 'Z' && 'a' <= text[1] && text[1] <= 'z'
}

var fileSegment = regexp.MustCompile(`\.[^./\n]+/`)

// withShorterLines is some lines and the readings of evaluation.blocksShorter, which come last.
func withShorterLines(lines string, k kind) string {
	all := withBareLines(lines)
	if k != pathKind || !fileSegment.MatchString(lines) {
		return all
	}
	found := map[string]bool{}
	for _, line := range splitLines(lines) {
		path := bytes.TrimRight([]byte(line), "/")
		file := fileEnd(path, 0)
		for n := 0; file >= 0 && n < limits.PathInfoFiles; n++ {
			if reading := string(path[:file]); !found[reading] {
				found[reading] = true
				all += match.LineEnd + reading
			}
			file = fileEnd(path, file)
		}
	}
	return all
}
