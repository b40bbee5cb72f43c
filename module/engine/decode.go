package engine

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// decode decodes one round of URL escapes, from left to right: %HH, and %uHHHH as UTF-8. Every other % stays.
func (w *workspace) decode(s []byte) []byte {
	start, copied := len(w.scratch), 0
	for i := bytes.IndexByte(s, '%'); i >= 0; i = indexFrom(s, i, '%') {
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
	return w.scratchFrom(start)
}

// indexFrom returns the index of c in s from i on, or -1.
func indexFrom(s []byte, i int, c byte) int {
	if k := bytes.IndexByte(s[i:], c); k >= 0 {
		return i + k
	}
	return -1
}

// decodeAt writes s from copied to i, and the decoded escape at i. It returns the length of the escape. If there is no
// escape at i, it writes nothing and returns 0.
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

func Unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

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

// shortestBase64 is the length of the shortest value that is decoded as base64, without padding. A shorter value
// encodes at most three bytes.
const shortestBase64 = 6

// base64Values has the value of each character of both alphabets (RFC 4648 4 and 5), and notBase64Value for other bytes.
var base64Values = func() (values [256]byte) {
	for c := range values {
		values[c] = notBase64Value
	}
	for _, alphabet := range []string{stdAlphabet, urlAlphabet} {
		for i := 0; i < len(alphabet); i++ {
			values[alphabet[i]] = byte(i)
		}
	}
	return values
}()

const (
	notBase64Value = 0xFF
	base64Letters  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	stdAlphabet    = base64Letters + "+/"
	urlAlphabet    = base64Letters + "-_"
)

// base64Code removes the padding of a value that can be base64 as a whole. It returns nil for a value of another length.
func base64Code(value []byte) []byte {
	code := value
	for i := 0; i < 2 && len(code) > 0 && code[len(code)-1] == '='; i++ {
		code = code[:len(code)-1]
	}
	if len(code) < shortestBase64 || len(code)%4 == 1 {
		return nil
	}
	return code
}

// mayBeJSON64 reports whether a value is base64 with the start of JSON.
func mayBeJSON64(value []byte) bool {
	if len(value) < shortestBase64 || !startsJSON64(value[0], value[1]) {
		return false
	}
	code := base64Code(value)
	for _, c := range code {
		if base64Values[c] == notBase64Value {
			return false
		}
	}
	return code != nil
}

// startsJSON64 reports whether base64 of a JSON object or list can begin with two letters: of a bracket and a character that JSON allows
// behind it, or of a blank and a bracket or blank.
func startsJSON64(first, second byte) bool {
	switch first {
	case 'e', 'W':
		return strings.IndexByte("wyz0123", second) >= 0
	case 'I':
		return strings.IndexByte("ACFH", second) >= 0
	case 'C':
		return strings.IndexByte("QSVXgiln", second) >= 0
	case 'D':
		return strings.IndexByte("QSVX", second) >= 0
	}
	return false
}

// base64Text decodes a value that is base64 as a whole, such as ?f=L2V0Yy9wYXNzd2Q. It accepts only printable ASCII.
func (w *workspace) base64Text(value []byte) (text []byte, is64 bool) {
	code := base64Code(value)
	if code == nil {
		return nil, false
	}
	start := len(w.scratch)
	bits, count := uint32(0), 0
	for _, c := range code {
		v := base64Values[c]
		if v == notBase64Value {
			w.scratch = w.scratch[:start]
			return nil, false
		}
		bits, count = bits<<6|uint32(v), count+6
		if count < 8 {
			continue
		}
		count -= 8
		c := byte(bits >> count)
		if c < 0x20 || c > 0x7e {
			w.scratch = w.scratch[:start]
			return nil, false
		}
		w.scratch = append(w.scratch, c)
	}
	return w.scratchFrom(start), true
}
