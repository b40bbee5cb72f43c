package engine

import (
	"bytes"
	"unicode/utf8"
)

// decode undoes one round of URL encoding, from left to right: %HH, and %uHHHH as UTF-8. Every other % stays.
func (w *workspace) decode(s []byte) []byte {
	start, copied := len(w.scratch), 0
	for i := bytes.IndexByte(s, '%'); i >= 0; i = next(s, i, '%') {
		width := w.decodeAt(s, i, copied)
		if width == 0 {
			i++
			continue
		}
		i += width
		copied = i
	}
	if copied == 0 {
		return s
	}
	w.write(s[copied:])
	return w.since(start)
}

// next is the index of c in s from i on, or -1.
func next(s []byte, i int, c byte) int {
	if k := bytes.IndexByte(s[i:], c); k >= 0 {
		return i + k
	}
	return -1
}

// decodeAt writes the bytes since the last escape, and the decoded escape at i. It returns the length of the escape,
// or 0 where there is none.
func (w *workspace) decodeAt(s []byte, i, copied int) int {
	if i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
		w.write(s[copied:i])
		w.scratch = append(w.scratch, Unhex(s[i+1])<<4|Unhex(s[i+2]))
		return len("%HH")
	}
	if i+5 < len(s) && s[i+1]|0x20 == 'u' {
		r, ok := hexRune(s[i+2 : i+6])
		if ok && !isSurrogate(r) {
			w.write(s[copied:i])
			w.scratch = utf8.AppendRune(w.scratch, r)
			return len("%uHHHH")
		}
	}
	return 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// Unhex is the value of a hexadecimal digit.
func Unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// hexRune reads four hexadecimal digits.
func hexRune(digits []byte) (rune, bool) {
	var r rune
	for _, c := range digits {
		if !isHex(c) {
			return 0, false
		}
		r = r<<4 | rune(Unhex(c))
	}
	return r, true
}

func isSurrogate(r rune) bool { return 0xD800 <= r && r <= 0xDFFF }
