package engine

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// eachJSONString yields the strings of any text that looks like JSON, keys and values. The last may lack its end. It
// is not a parser, because parsers in three languages would differ in what they refuse.
func eachJSONString(text []byte, yield func(value []byte) bool) {
	for {
		open := bytes.IndexByte(text, '"')
		if open < 0 {
			return
		}
		text = text[open+1:]
		end := closingQuote(text)
		if !yield(unescapeJSON(text[:end])) || end == len(text) {
			return
		}
		text = text[end+1:]
	}
}

// outsideOfStrings is what JSON has outside of strings: punctuation, white space, numbers, true, false and null.
const outsideOfStrings = "[]{}:, \t\r\n0123456789+.eE-aflnrstu"

var isOutsideOfStrings = func() (is [256]bool) {
	for i := 0; i < len(outsideOfStrings); i++ {
		is[outsideOfStrings[i]] = true
	}
	return is
}()

// isJSON reports whether all strings are found: comments and single quotation marks change where some parsers see one.
func isJSON(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			i += 1 + closingQuote(text[i+1:])
			if i >= len(text) {
				return false
			}
		} else if !isOutsideOfStrings[text[i]] {
			return false
		}
	}
	return true
}

// closingQuote is the index of the first quote without a backslash, or the end.
func closingQuote(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(text)
}

const (
	jsonEscapes  = `"\/bfnrt`
	jsonEscaped  = "\"\\/\b\f\n\r\t"
	unitEscape   = `\uHHHH`
	unitWidth    = len(unitEscape) // not in the return statement: Traefik's interpreter would assign it to another result
	firstLow     = 0xDC00
	lastLow      = 0xDFFF
	beyondBasic  = 0x10000
	surrogateHas = 10 // bits
)

// unescapeJSON leaves unknown escapes and lone surrogates unchanged.
func unescapeJSON(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	plain := make([]byte, 0, len(text))
	for len(text) > 0 {
		if r, width := jsonRune(text); width > 0 {
			plain = utf8.AppendRune(plain, r)
			text = text[width:]
			continue
		}
		width := 1
		if text[0] == '\\' && len(text) > 1 {
			width = 2
			if k := strings.IndexByte(jsonEscapes, text[1]); k >= 0 {
				plain = append(plain, jsonEscaped[k])
				text = text[width:]
				continue
			}
		}
		plain = append(plain, text[:width]...)
		text = text[width:]
	}
	return plain
}

// jsonRune reads \uHHHH, or a surrogate pair of two of them. A width of 0 means that there is no such escape.
func jsonRune(text []byte) (r rune, width int) {
	r, ok := jsonUnit(text)
	switch {
	case !ok:
		return 0, 0
	case !isSurrogate(r):
		return r, unitWidth
	case r >= firstLow:
		return 0, 0
	}
	low, ok := jsonUnit(text[unitWidth:])
	if !ok || low < firstLow || low > lastLow {
		return 0, 0
	}
	return beyondBasic + (r&0x3FF)<<surrogateHas + low&0x3FF, 2 * unitWidth
}

func jsonUnit(text []byte) (rune, bool) {
	if len(text) < unitWidth || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	return hexRune(text[2:unitWidth])
}
