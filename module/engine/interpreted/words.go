package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
)

var (
	// wordEnds puts ! in the place of an end of a line that makes it not a word, and notWordBytes in that of each other byte of no word.
	wordEnds     = strings.NewReplacer(".\n", "!\n", " \n", "!\n")
	notWordBytes = strings.NewReplacer(bytePairs(isNotWord, func(_ byte) string { return "!" })...)
	wordBytes    = strings.NewReplacer(bytePairs(isInWord, nothing)...)
)

func isInWord(c byte) bool { return strings.IndexByte(engine.WordBytes, c) >= 0 }

func isNotWord(c byte) bool { return !isInWord(c) && c != '\n' }

func isWord(value string) bool {
	return strings.Trim(value, engine.WordBytes) == "" && value != "" && !hasEnd(value)
}

// notWords counts the lines that are not words.
func notWords(lines string) int {
	marks := wordBytes.Replace(notWordBytes.Replace(wordEnds.Replace(lines + match.LineEnd)))
	return strings.Count(marks, "!\n")
}
