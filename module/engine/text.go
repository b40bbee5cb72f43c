package engine

import "strings"

// upper and lower change only ASCII letters: names in HTTP are ASCII, and Unicode must not map other letters to ASCII.
func upper(text string) string { return changed(text, 'a', 'z') }
func lower(text string) string { return changed(text, 'A', 'Z') }

// lowerText is lower for texts of any length; it is fast in an interpreter too.
var lowerText = strings.NewReplacer(lowerPairs()...)

func lowerPairs() []string {
	var pairs []string
	for c := 'A'; c <= 'Z'; c++ {
		pairs = append(pairs, string(c), lower(string(c)))
	}
	return pairs
}

// changed swaps the case of the letters from first to last.
func changed(text string, first, last byte) string {
	for i := 0; i < len(text); i++ {
		if first <= text[i] && text[i] <= last {
			return swapped(text, first, last)
		}
	}
	return text
}

func swapped(text string, first, last byte) string {
	b := []byte(text)
	for i, c := range b {
		if first <= c && c <= last {
			b[i] = c ^ 0x20
		}
	}
	return string(b)
}

// start returns at most the first n bytes of a text.
func start(text []byte, n int) []byte {
	if len(text) > n {
		return text[:n]
	}
	return text
}
