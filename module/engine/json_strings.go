package engine

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// eachJSONString yields the keys and string values of any text that looks like JSON. The last one may lack its closing quote. It is
// not a parser, because parsers in three languages would refuse different bodies. It returns false if yield returned false.
func eachJSONString(text []byte, yield func(value []byte) bool) bool {
	for {
		open := bytes.IndexByte(text, '"')
		if open < 0 {
			return true
		}
		text = text[open+1:]
		end := closingQuote(text)
		if !yield(UnescapeJSON(text[:end])) {
			return false
		}
		if end == len(text) {
			return true
		}
		text = text[end+1:]
	}
}

// eachNestedString yields the strings of JSON texts, then the strings of JSON in these, verbatim or in base64, and of GraphQL.
// The latter can be JSON again, which is not read. read yields the strings of one text, and returns false if yield returned false.
func (e *evaluation) eachNestedString(texts [][]byte, read func(text []byte, yield func(value []byte) bool) bool, yield func(value []byte) bool) {
	var inner [][]byte
	collect := func(value []byte) bool {
		if isInnerJSON(value) || isGraphQL(value) {
			inner = append(inner, value)
		} else {
			inner = append(inner, e.jsonIn64(value)...)
		}
		return yield(value)
	}
	for _, text := range texts {
		each := yield
		if bytes.Contains(text, quoteEscape) || bytes.Contains(text, quoteUnit) || string64.Match(text) {
			each = collect
		}
		if !read(text, each) {
			return
		}
	}
	for _, text := range inner {
		if !read(text, yield) {
			return
		}
	}
}

// A string has a quote only as one of these escapes.
var quoteEscape, quoteUnit = []byte(`\"`), []byte(`\u0022`)

// string64 matches the start of a string that can be base64 of a JSON object or list, also with escaped letters.
var string64 = regexp.MustCompile(`"(?:\\|[eW][\\0-3wyz]|I[\\ACFH]|C[\\QSVXgiln]|D[\\QSVX])`)

// isInnerJSON reports whether a parser can read a string as an object or list with strings. Up to the first quote it has only what
// JSON allows there: [ ] Add ".env" in a comment is prose.
func isInnerJSON(value []byte) bool {
	quote := bytes.IndexByte(value, '"')
	return quote > 0 && startsJSON(value[:quote]) && len(bytes.Trim(value[:quote], outsideOfStrings)) == 0
}

// graphQLStart matches a document of GraphQL up to an argument.
var graphQLStart = regexp.MustCompile(`\A[ \t\r\n,]*(?:(?:query|mutation|subscription)[^{]*)?\{[^(]*\(`)

// isGraphQL reports whether a server of GraphQL can read a string as a document with a string in an argument. Its strings have the
// escapes of JSON.
func isGraphQL(value []byte) bool {
	quote := bytes.IndexByte(value, '"')
	return quote > 0 && graphQLStart.Match(value[:quote])
}

// startsJSON reports whether a text starts like a JSON object or list.
func startsJSON(text []byte) bool {
	text = bytes.TrimLeft(text, XMLBlanks)
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// outsideOfStrings has the characters that JSON allows outside of strings: for punctuation, white space, numbers, true, false and null.
const outsideOfStrings = "[]{}:, \t\r\n0123456789+.eE-aflnrstu"

// isJSON reports whether every parser finds the same strings. With comments, some parsers find other strings.
func isJSON(text []byte) bool {
	for {
		outside, rest, isString := bytes.Cut(text, []byte(`"`))
		if len(bytes.Trim(outside, outsideOfStrings)) > 0 {
			return false
		}
		if !isString {
			return true
		}
		end := closingQuote(rest)
		if end == len(rest) {
			return false
		}
		text = rest[end+1:]
	}
}

// closingQuote returns the index of the first quote that is not escaped, or the length of the text.
func closingQuote(text []byte) int {
	for i := 0; i < len(text); i += len(`\"`) {
		at := bytes.IndexAny(text[i:], `"\`)
		if at < 0 {
			break
		}
		if i += at; text[i] == '"' {
			return i
		}
	}
	return len(text)
}

const (
	jsonEscapeLetters  = `"\/bfnrt`
	jsonEscapeBytes    = "\"\\/\b\f\n\r\t"
	unitEscape         = `\uHHHH`
	unitWidth          = len(unitEscape) // a constant, because Traefik's interpreter confuses the results of return r, len(unitEscape)
	firstLowSurrogate  = 0xDC00
	lastLowSurrogate   = 0xDFFF
	firstSupplementary = 0x10000
	surrogateBits      = 10 // bits of the code point in each half of a surrogate pair
)

// UnescapeJSON decodes the escapes of a JSON string. Unknown escapes and lone surrogates stay unchanged.
func UnescapeJSON(text []byte) []byte {
	at := bytes.IndexByte(text, '\\')
	if at < 0 {
		return text
	}
	plain := make([]byte, 0, len(text))
	for at >= 0 {
		plain = append(plain, text[:at]...)
		text = text[at:]
		width := 2
		if r, long := jsonRune(text); long > 0 {
			plain = utf8.AppendRune(plain, r)
			width = long
		} else if len(text) < width {
			break
		} else if k := strings.IndexByte(jsonEscapeLetters, text[1]); k >= 0 {
			plain = append(plain, jsonEscapeBytes[k])
		} else {
			plain = append(plain, text[:width]...)
		}
		text = text[width:]
		at = bytes.IndexByte(text, '\\')
	}
	return append(plain, text...)
}

// jsonRune decodes \uHHHH, or a surrogate pair of two of them, at the start of a text. width is 0 for any other text,
// such as a lone surrogate.
func jsonRune(text []byte) (r rune, width int) {
	r, ok := jsonUnit(text)
	switch {
	case !ok:
		return 0, 0
	case !isSurrogate(r):
		return r, unitWidth
	case r >= firstLowSurrogate:
		return 0, 0
	}
	low, ok := jsonUnit(text[unitWidth:])
	if !ok || low < firstLowSurrogate || low > lastLowSurrogate {
		return 0, 0
	}
	return firstSupplementary + (r&0x3FF)<<surrogateBits + low&0x3FF, 2 * unitWidth
}

func jsonUnit(text []byte) (rune, bool) {
	if len(text) < unitWidth || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	return hexRune(text[2:unitWidth])
}
