package engine

import (
	"regexp"
	"strings"
)

// Encoded words of mail (RFC 2047) in the names of parts: Tomcat and Commons FileUpload decode them in each parameter, Spring in
// filename.
var (
	encodedWord = regexp.MustCompile(`=\?[^? \t]+\?([BQbq])\?([^? \t]*)\?=`)
	wordBlanks  = regexp.MustCompile(`\?=[ \t]+=\?`)
)

// wordReadings returns names, and after each one with encoded words its text. Blanks between two of them do not count.
func wordReadings(names []string) []string {
	var readings []string
	for _, name := range names {
		readings = append(readings, name)
		if !strings.Contains(name, "=?") {
			continue
		}
		text := encodedWord.ReplaceAllStringFunc(wordBlanks.ReplaceAllLiteralString(name, "?==?"), decodedWord)
		if text != name {
			readings = append(readings, text)
		}
	}
	return readings
}

func decodedWord(word string) string {
	parts := encodedWord.FindStringSubmatch(word)
	if lower(parts[1]) == "b" {
		return decodedGroups(strings.ReplaceAll(notBase64.ReplaceAllLiteralString(parts[2], ""), "=", ""))
	}
	return withQuotedBytes(strings.ReplaceAll(parts[2], "_", " "))
}
