package engine

import "strings"

// upper and lower change only ASCII letters. strings.ToUpper and strings.ToLower also convert some other letters to ASCII letters.
func upper(text string) string { return swapCase(text, 'a', 'z') }
func lower(text string) string { return swapCase(text, 'A', 'Z') }

// LowerText replaces upper-case ASCII letters without a loop over bytes, so that it is also fast in an interpreted program.
var LowerText = strings.NewReplacer(lowerPairs()...)

func lowerPairs() []string {
	var pairs []string
	for c := 'A'; c <= 'Z'; c++ {
		pairs = append(pairs, string(c), lower(string(c)))
	}
	return pairs
}

func swapCase(text string, first, last byte) string {
	for i := 0; i < len(text); i++ {
		if first <= text[i] && text[i] <= last {
			return swapCaseOfBytes(text, first, last)
		}
	}
	return text
}

func swapCaseOfBytes(text string, first, last byte) string {
	b := []byte(text)
	for i, c := range b {
		if first <= c && c <= last {
			b[i] = c ^ 0x20
		}
	}
	return string(b)
}

func prefixOf(text []byte, n int) []byte {
	if len(text) > n {
		return text[:n]
	}
	return text
}

// Classes of bytes. A class says where in a value its bytes make another reading of the value possible.
const (
	ordinaryByte = iota // makes no other reading possible
	specialByte         // makes one anywhere
	slashByte           // makes one next to another slash
	dotByte             // makes one after a slash, and at the end of a segment (an opening parenthesis: only after a slash)
	spaceByte           // makes one at the end of a segment
)

var byteClass = func() (classes [256]byte) {
	for c := range classes {
		if IsSpecial(byte(c)) {
			classes[c] = specialByte
		}
	}
	classes['/'], classes['.'], classes['('], classes[' '] = slashByte, dotByte, dotByte, spaceByte
	return classes
}()

// IsSpecial reports whether a byte makes another reading possible anywhere in a value.
func IsSpecial(c byte) bool { return c < 0x20 || c > 0x7e || strings.IndexByte(`%\;$#?`, c) >= 0 }

// isPlain returns true only if a value has no other reading, apart from base64 and path info. It returns false for some
// such values too, because one pass does not recognize all of them.
func isPlain(value []byte) bool {
	before, end := byte(ordinaryByte), -1 // the class and the end of the last byte that is not ordinary
	for i, c := range value {
		class := byteClass[c]
		if class == ordinaryByte {
			continue
		}
		if end < i {
			before = ordinaryByte
		}
		if !isPlainBehind(class, before) {
			return false
		}
		before, end = class, i+1
	}
	return end < len(value) || before < dotByte
}

// isPlainBehind reports whether a byte of a class makes no other reading possible after a byte of class before. class
// is not ordinaryByte.
func isPlainBehind(class, before byte) bool {
	switch class {
	case slashByte:
		return before == ordinaryByte
	case dotByte:
		return before != slashByte
	}
	return class == spaceByte
}

// WordBytes has the bytes of a word, which does not end in a dot or a space. Words do not count towards the limit on values.
const WordBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:,@. -"

var isWordByte = func() (is [256]bool) {
	for i := 0; i < len(WordBytes); i++ {
		is[WordBytes[i]] = true
	}
	return is
}()

func (s *RuleSet) isWord(value []byte) bool {
	if s.steps != nil {
		return s.steps.IsWord(string(value))
	}
	for _, c := range value {
		if !isWordByte[c] {
			return false
		}
	}
	return len(value) > 0 && value[len(value)-1] != '.' && value[len(value)-1] != ' '
}
