package engine

import (
	"regexp"
	"strings"
)

// A word is a value of these bytes that does not end in a dot or a space. It has one reading, so that an interpreter can
// inspect several words at once, and it does not count towards the limit on values of a body.
const wordBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:,@. -"

var isWordByte = func() (is [256]bool) {
	for i := 0; i < len(wordBytes); i++ {
		is[wordBytes[i]] = true
	}
	return is
}()

// notWord matches once in each line that is not a word.
var notWord = regexp.MustCompile(`(?m)[^\w:,@. \n-].*$|[. ]$`)

// isWord reports whether a value is a word.
func (b *bodyInspection) isWord(value []byte) bool {
	if b.rules.interpreted != nil {
		return isWordText(string(value))
	}
	for _, c := range value {
		if !isWordByte[c] {
			return false
		}
	}
	return len(value) > 0 && value[len(value)-1] != '.' && value[len(value)-1] != ' '
}

// isWordText is isWord for an interpreter.
func isWordText(text string) bool {
	return text != "" && !hasEnd(text) && strings.Trim(text, wordBytes) == ""
}

// notWords counts the lines that are not words.
func notWords(lines string) int { return len(notWord.FindAllStringIndex(lines, -1)) }
