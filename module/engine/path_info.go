package engine

import "bytes"

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
