package engine

import (
	"bytes"
	"unicode/utf8"
)

const pathEnds = "\x00?#"

// cutPath ends a value at the first NUL, ? or #, as C libraries and URL parsers do.
func cutPath(s []byte) []byte {
	for i := 0; i < len(pathEnds); i++ {
		if end := bytes.IndexByte(s, pathEnds[i]); end >= 0 {
			s = s[:end]
		}
	}
	return s
}

func IsControl(c byte) bool { return c < 0x20 || c == 0x7F }

func (w *workspace) withoutControls(s []byte) []byte {
	for i, c := range s {
		if IsControl(c) {
			return w.withoutControlsFrom(s, i)
		}
	}
	return s
}

func (w *workspace) withoutControlsFrom(s []byte, first int) []byte {
	start := len(w.scratch)
	w.write(s[:first])
	for _, c := range s[first:] {
		if !IsControl(c) {
			w.scratch = append(w.scratch, c)
		}
	}
	return w.scratchFrom(start)
}

// Blanks are what Str::trim of Laravel 11 removes (INVISIBLE_CHARACTERS in illuminate/support, and \s). It includes what trim of
// JavaScript and strip of Python remove, apart from control characters.
const Blanks = " \u0085\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e" +
	"\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u200e\u200f" +
	"\u2028\u2029\u202f\u205f\u2060\u2061\u2062\u2063\u2064\u2065\u206a\u206b\u206c\u206d\u206e\u206f" +
	"\u2800\u3000\u3164\ufeff\uffa0\U0001d159\U0001d173\U0001d174\U0001d175\U0001d176\U0001d177\U0001d178\U0001d179\U0001d17a\U000e0020"

// trimBlanks removes blanks at both ends of a value with Unicode characters, as Laravel does for each value (TrimStrings).
func trimBlanks(s []byte) []byte {
	if isASCII(s) {
		return s
	}
	return bytes.Trim(s, Blanks)
}

// withoutInvalidUTF8 removes bytes of invalid UTF-8, as servers in Python do (decode('utf-8', 'ignore') of Bottle).
func (w *workspace) withoutInvalidUTF8(s []byte) []byte {
	if utf8.Valid(s) {
		return s
	}
	start := len(w.scratch)
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		if r != utf8.RuneError || size > 1 {
			w.write(s[:size])
		}
		s = s[size:]
	}
	return w.scratchFrom(start)
}

func (w *workspace) withSlashes(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	start := len(w.scratch)
	w.write(s)
	turned := w.scratchFrom(start)
	for i, c := range turned {
		if c == '\\' {
			turned[i] = '/'
		}
	}
	return turned
}

func (w *workspace) withoutBackslashes(s []byte) []byte {
	start, copied := len(w.scratch), 0
	for i := bytes.IndexByte(s, '\\'); i >= 0; i = indexFrom(s, i+1, '\\') {
		w.write(s[copied:i])
		copied = i + 1
	}
	w.write(s[copied:])
	return w.scratchFrom(start)
}

func (w *workspace) collapse(s []byte) []byte {
	first := bytes.Index(s, []byte("//"))
	if first < 0 {
		return s
	}
	start := len(w.scratch)
	w.write(s) // reserves memory for the result, which overwrites this copy
	collapsed := w.scratchFrom(start)
	n := first + 1
	for _, c := range s[n:] {
		if c != '/' || collapsed[n-1] != '/' {
			collapsed[n] = c
			n++
		}
	}
	w.scratch = w.scratch[:start+n]
	return w.scratchFrom(start)
}

// withoutParameters cuts each segment at its first semicolon.
func (w *workspace) withoutParameters(s []byte) []byte {
	i := bytes.IndexByte(s, ';')
	if i < 0 {
		return s
	}
	start := len(w.scratch)
	for i >= 0 {
		w.write(s[:i])
		s = s[i:]
		end := bytes.IndexByte(s, '/')
		if end < 0 {
			return w.scratchFrom(start)
		}
		s = s[end:]
		i = bytes.IndexByte(s, ';')
	}
	w.write(s)
	return w.scratchFrom(start)
}
