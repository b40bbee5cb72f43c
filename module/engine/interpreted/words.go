package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
)

var (
	// These replacers turn a line that is a word into an empty line, and every other line into a run of !.
	wordEnds     = strings.NewReplacer(".\n", "!\n", " \n", "!\n")
	notWordBytes = strings.NewReplacer(bytePairs(isNotWord, func(_ byte) string { return "!" })...)
	wordBytes    = strings.NewReplacer(bytePairs(isInWord, emptyReplacement)...)
)

func isInWord(c byte) bool { return strings.IndexByte(engine.WordBytes, c) >= 0 }

func isNotWord(c byte) bool { return !isInWord(c) && c != '\n' }

func isWord(value string) bool {
	return strings.Trim(value, engine.WordBytes) == "" && value != "" && !endsInDotOrSpace(value)
}

func countNotWords(lines string) int {
	marks := wordBytes.Replace(notWordBytes.Replace(wordEnds.Replace(lines + match.LineEnd)))
	return strings.Count(marks, "!\n")
}
