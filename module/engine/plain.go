package engine

import "strings"

// Classes of bytes, by where a byte can make another reading possible.
const (
	ordinary = iota // nowhere
	special         // anywhere
	slash           // next to another
	dot             // after a slash and at the end of a segment
	space           // at the end of a segment
)

var byteClass = func() (classes [256]byte) {
	for c := range classes {
		if IsSpecial(byte(c)) {
			classes[c] = special
		}
	}
	classes['/'], classes['.'], classes[' '] = slash, dot, space
	return classes
}()

// IsSpecial reports whether a byte makes another reading of a value possible.
func IsSpecial(c byte) bool { return c < 0x20 || c > 0x7e || strings.IndexByte(`%\;$#?`, c) >= 0 }

// isPlain reports whether every reading of a value is the value itself. False may also mean that one pass cannot
// decide it.
func isPlain(value []byte) bool {
	before := byte(ordinary)
	for _, c := range value {
		class := byteClass[c]
		if class != ordinary && !isPlainBehind(class, before) {
			return false
		}
		before = class
	}
	return before < dot
}

func isPlainBehind(class, before byte) bool {
	switch class {
	case slash:
		return before == ordinary
	case dot:
		return before != slash
	}
	return class == space
}
