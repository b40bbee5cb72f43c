package match

import (
	"regexp"
	"strings"
)

var (
	aMark     = regexp.MustCompile(Mark)
	onlyMarks = Keeping(Mark + Between)
	lastMarks = strings.NewReplacer(Mark+Between, Mark+Between, Mark, "").Replace
)

// Keeping returns a function that removes all bytes but some, of which x is none. It takes two steps: a strings.Replacer
// counts each of the bytes that it removes.
func Keeping(kept string) func(text string) string {
	var pairs []string
	for c := 0; c < 256; c++ {
		if b := string([]byte{byte(c)}); !strings.Contains(kept, b) {
			pairs = append(pairs, b, "x")
		}
	}
	others, removed := strings.NewReplacer(pairs...).Replace, strings.NewReplacer("x", "").Replace
	return func(text string) string { return removed(others(text)) }
}

// Selected returns the texts that have marks. marks is of marks and of Between behind each text.
func Selected(texts []string, marks string) []string {
	found := aMark.FindAllStringIndex(lastMarks(marks), -1)
	selected := make([]string, len(found))
	for k, at := range found {
		selected[k] = texts[at[0]-k]
	}
	return selected
}
