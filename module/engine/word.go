package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
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

// notWordEnds and notWordMarks put ! in the place of what is not a word, and remove the remainder of each line.
var (
	notWordEnds  = strings.NewReplacer(".\n", "!\n", " \n", "!\n").Replace
	notWordMarks = strings.NewReplacer(bytePairs(isNotWord, func(_ byte) string { return "!" })...).Replace
	onlyNotWords = match.Keeping("!\n")
)

func isNotWord(c byte) bool { return !isWordByte[c] && c != '\n' }

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
	return strings.Trim(text, wordBytes) == "" && text != "" && !hasEnd(text)
}

// notWords counts the lines that are not words.
func notWords(lines string) int {
	return strings.Count(onlyNotWords(notWordMarks(notWordEnds(lines+match.LineEnd))), "!\n")
}
