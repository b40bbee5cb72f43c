package engine

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

const blanks = " \t\n\v\f\r"

var (
	inQuotes       = regexp.MustCompile(`^(?s:[^"\\]|\\.)*\\?`)
	inSingleQuotes = regexp.MustCompile(`^(?s:[^'\\]|\\.)*\\?`)
	escapedQuote   = regexp.MustCompile(`\\(["\\])`)
	escapedByte    = regexp.MustCompile(`(?s)\\(.)`)
)

// quotedReadings returns the values after a quotation mark (RFC 9110 5.6.6). Servers decode different escapes.
func quotedReadings(text, quote string) []string {
	plain, _, _ := strings.Cut(text, quote)
	if !strings.Contains(plain, `\`) {
		return []string{plain}
	}
	value := inQuotes.FindString(text)
	if quote == "'" {
		value = inSingleQuotes.FindString(text)
	}
	return []string{escapedQuote.ReplaceAllString(value, "$1"), escapedByte.ReplaceAllString(value, "$1"), plain}
}

// bareReadings returns the values that servers read without regard to quotation marks. Servers end a value at a blank,
// a comma or a semicolon.
func bareReadings(text string) []string {
	whole, _, _ := strings.Cut(text, ";")
	first, _, _ := strings.Cut(whole, ",")
	readings := []string{strings.Trim(first, blanks), strings.Trim(whole, blanks)}
	if strings.HasPrefix(text, `"`) {
		return readings
	}
	if end := strings.IndexAny(whole, `"`+blanks); end >= 0 {
		whole = whole[:end]
	}
	return []string{whole, readings[0], readings[1]}
}

// valueReadings returns the distinct readings of a parameter's value. text is the line after the equals sign. keepsMarks adds the
// readings of servers that keep quotation marks, or the blanks before the value.
func valueReadings(text string, keepsMarks bool) []string {
	if len(text) > limits.BodyValueBytes {
		text = text[:limits.BodyValueBytes]
	}
	whole := text
	text = strings.TrimLeft(text, " \t")
	var readings []string
	if strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "'") {
		readings = quotedReadings(text[1:], text[:1])
	}
	if keepsMarks || !isPlainlyQuoted(text) {
		readings = append(readings, bareReadings(text)...)
	}
	if keepsMarks {
		if end := strings.IndexAny(whole, ",;"); end >= 0 {
			whole = whole[:end]
		}
		readings = append(readings, whole)
	}
	return distinctTexts(readings)
}

// isPlainlyQuoted reports whether a value is in quotation marks, followed by a semicolon or by the end of the text.
func isPlainlyQuoted(text string) bool {
	if !strings.HasPrefix(text, `"`) {
		return false
	}
	_, behind, isClosed := strings.Cut(text[1:], `"`)
	behind = strings.TrimLeft(behind, " \t")
	return isClosed && (behind == "" || behind[0] == ';')
}

// distinctTexts returns a short list without repetitions. It reuses the memory of the list.
func distinctTexts(texts []string) []string {
	kept := texts[:0]
	for _, text := range texts {
		if !hasText(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}

func hasText(texts []string, text string) bool {
	for _, t := range texts {
		if t == text {
			return true
		}
	}
	return false
}
