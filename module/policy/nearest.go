package policy

import (
	"fmt"
	"strings"
)

// UnknownKeyMessage returns the message for an unknown key, with the valid key that the user may have intended.
func UnknownKeyMessage(name string, keys []string) string {
	message := "unknown key " + quoted(name)
	if near := nearest(name, keys); near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	return message
}

// longestWord bounds the comparison, which takes quadratic time. Keys are shorter.
const longestWord = 64

// nearest returns the candidate that is another spelling of word. Without one, it returns the candidate with the
// fewest edits, at most a third of the length of word, or "" if there is none.
func nearest(word string, candidates []string) string {
	if len(word) > longestWord {
		return ""
	}
	best, distance := "", len(word)/3+1
	for _, candidate := range candidates {
		if normalizedWord(candidate) == normalizedWord(word) {
			return candidate
		}
		if edits := editDistance(strings.ToLower(word), candidate); edits < distance {
			best, distance = candidate, edits
		}
	}
	return best
}

// normalizedWord normalizes the spelling of a word: maxBodyBytes, max-body-bytes and max_body_bytes become equal.
func normalizedWord(word string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(word))
}

// editDistance counts insertions, deletions, replacements and swaps of adjacent characters (optimal string alignment).
func editDistance(a, b string) int {
	var beforeLast []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = smaller(replaced, smaller(last[j], row[j-1])+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = smaller(row[j], beforeLast[j-2]+1)
			}
		}
		beforeLast, last = last, row
	}
	return last[len(b)]
}

// smaller replaces min, which Traefik's interpreter lacks.
func smaller(a, b int) int {
	if a < b {
		return a
	}
	return b
}
