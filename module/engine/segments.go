package engine

import "bytes"

// resolveDots resolves dot segments as RFC 3986 5.2.4 does. A text without a slash at its start stays unchanged.
func (w *workspace) resolveDots(s []byte) []byte {
	at, end := dotSegment(s)
	if at < 0 || s[0] != '/' {
		return s
	}
	start := len(w.scratch)
	for ; at >= 0; at, end = dotSegment(s) {
		w.write(s[:at])
		if end-at == len("/..") {
			w.dropSegment(start)
		}
		if s = s[end:]; len(s) == 0 {
			s = []byte("/")
		}
	}
	w.write(s)
	return w.scratchFrom(start)
}

// dropSegment removes the last segment after index start of the scratch buffer, if there is one.
func (w *workspace) dropSegment(start int) {
	parent := bytes.LastIndexByte(w.scratch[start:], '/')
	if parent < 0 {
		parent = 0
	}
	w.scratch = w.scratch[:start+parent]
}

// dotSegment returns the index of the slash before the first segment . or .., and the index of the segment's end. It
// returns -1 and -1 if there is no such segment.
func dotSegment(s []byte) (at, end int) {
	i := 0 // skips the search when s begins with /. because dot segments often follow each other
	if len(s) < 2 || s[0] != '/' || s[1] != '.' {
		i = bytes.Index(s, []byte("/."))
	}
	for ; i >= 0; i = indexTextFrom(s, i+1, "/.") {
		end := i + len("/.")
		if end < len(s) && s[end] == '.' {
			end++
		}
		if end == len(s) || s[end] == '/' {
			return i, end
		}
	}
	return -1, -1
}

// indexTextFrom returns the index of a text in s from i on, or -1.
func indexTextFrom(s []byte, i int, text string) int {
	if k := bytes.Index(s[i:], []byte(text)); k >= 0 {
		return i + k
	}
	return -1
}

// windowsNames replaces each segment by the name that Windows opens for it.
func (w *workspace) windowsNames(s []byte) []byte {
	stream := bytes.Index(s, []byte(":$"))
	start, copied := len(w.scratch), 0
	for from := 0; from <= len(s); from++ { // skips the slash
		end := indexFrom(s, from, '/')
		if end < 0 {
			end = len(s)
		}
		if 0 <= stream && stream < from {
			stream = indexTextFrom(s, from, ":$")
		}
		if from <= stream && stream < end || end > from && isTrimmedByWindows(s[end-1]) {
			w.write(s[copied:from])
			w.write(windowsName(s[from:end]))
			copied = end
		}
		from = end
	}
	if copied == 0 {
		return s
	}
	w.write(s[copied:])
	return w.scratchFrom(start)
}

func isTrimmedByWindows(c byte) bool { return c == '.' || c == ' ' }

// windowsName removes an alternate data stream from a segment: everything from its first ::$ or, without one, from its first :$,
// unless that is at the start. It also removes trailing dots and spaces, unless nothing would remain.
func windowsName(segment []byte) []byte {
	i := bytes.Index(segment, []byte("::$"))
	if i < 0 {
		i = bytes.Index(segment, []byte(":$"))
	}
	if i > 0 {
		segment = segment[:i]
	}
	if s := string(segment); s == "." || s == ".." {
		return segment
	}
	if trimmed := bytes.TrimRight(segment, ". "); len(trimmed) > 0 {
		return trimmed
	}
	return segment
}

// fileEnd returns the index of the first slash from index from on that separates a script from its path info, or a
// negative number. Servers find no other file there, and /oslo.config/ is a folder of a package index.
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
		if isScript(path[bytes.LastIndexByte(path[:from], '.')+1 : from]) {
			return from
		}
	}
}
