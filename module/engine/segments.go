package engine

import "bytes"

// dots resolves dot segments as RFC 3986 5.2.4 does, in what starts with a slash: it never climbs above the root, and
// empty segments count.
func (w *workspace) dots(s []byte) []byte {
	if !bytes.HasPrefix(s, []byte("/")) || !hasDotSegment(s) {
		return s
	}
	start := len(w.scratch)
	for len(s) > 0 {
		segment := s[1:]
		if end := bytes.IndexByte(segment, '/'); end >= 0 {
			segment = segment[:end]
		}
		s = s[1+len(segment):]
		w.resolve(start, segment, len(s) == 0)
	}
	return w.since(start)
}

// resolve appends a segment, with its slash in front, to those written since start.
func (w *workspace) resolve(start int, segment []byte, isLast bool) {
	switch string(segment) {
	case "..":
		if parent := bytes.LastIndexByte(w.scratch[start:], '/'); parent >= 0 {
			w.scratch = w.scratch[:start+parent]
		}
	case ".":
	default:
		w.scratch = append(append(w.scratch, '/'), segment...)
		return
	}
	if isLast {
		w.scratch = append(w.scratch, '/')
	}
}

func hasDotSegment(s []byte) bool {
	for {
		i := bytes.Index(s, []byte("/."))
		if i < 0 {
			return false
		}
		s = s[i+len("/."):]
		rest := bytes.TrimPrefix(s, []byte("."))
		if len(s) == 0 || s[0] == '/' || len(rest) < len(s) && (len(rest) == 0 || rest[0] == '/') {
			return true
		}
	}
}

// windowsNames cuts streams off the segments, and trailing dots and spaces, which Windows ignores.
func (w *workspace) windowsNames(s []byte) []byte {
	if !mayBeTrimmed(s) {
		return s
	}
	start := len(w.scratch)
	for {
		end := bytes.IndexByte(s, '/')
		if end < 0 {
			w.write(windowsName(s))
			return w.since(start)
		}
		w.write(windowsName(s[:end]))
		w.scratch = append(w.scratch, '/')
		s = s[end+1:]
	}
}

func mayBeTrimmed(s []byte) bool {
	return bytes.HasSuffix(s, []byte(".")) || bytes.HasSuffix(s, []byte(" ")) || bytes.Contains(s, []byte(":$")) ||
		bytes.Contains(s, []byte("./")) || bytes.Contains(s, []byte(" /"))
}

// windowsName cuts a segment at its first ::$, or if there is none at its first :$, unless that is its start, and takes
// dots and spaces off its end unless nothing would remain.
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
