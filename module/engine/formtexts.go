package engine

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine/match"
)

// The values of a form, found by a few calls of the standard library.

var (
	firstEquals = regexp.MustCompile(`([^&=]*)=([^&]*)`)
	formText    = regexp.MustCompile(`[^&]+`)
)

// withSemicolonPairs appends the pairs of semicolonPairs.
func withSemicolonPairs(pairs string) string {
	if more := semicolonPairs(pairs); more != "" {
		return pairs + "&" + more
	}
	return pairs
}

// formTexts returns the values that eachFormValue yields, without the empty ones.
func formTexts(body string) []string {
	return formText.FindAllString(formValues(withSemicolonPairs(body)), -1)
}

// formLines returns the values that eachFormValue yields as lines.
func formLines(body string) string {
	return strings.ReplaceAll(formValues(withSemicolonPairs(asLine.Replace(body))), "&", match.LineEnd)
}

// formValues puts & between key and value of each pair.
func formValues(pairs string) string {
	if hasTwoEquals(pairs) {
		return firstEquals.ReplaceAllString(pairs, "$1&$2")
	}
	return strings.ReplaceAll(pairs, "=", "&")
}
