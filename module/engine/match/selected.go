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

const blanks = "\t\n\v\f\r "

// Keeping returns a function that removes all bytes but some, of which none is an upper-case letter. The others become blanks
// first: strings.Fields removes these in a fraction of the time of a strings.Replacer, which copies byte by byte.
func Keeping(kept string) func(text string) string {
	var pairs, restored []string
	for c := 0; c < 256; c++ {
		b := string([]byte{byte(c)})
		switch {
		case !strings.Contains(kept, b):
			pairs = append(pairs, b, " ")
		case strings.Contains(blanks, b):
			letter := string([]byte{byte('A' + len(restored))})
			pairs = append(pairs, b, letter)
			restored = append(restored, letter, b)
		}
	}
	blanked, whole := strings.NewReplacer(pairs...).Replace, strings.NewReplacer(restored...).Replace
	return func(text string) string { return whole(strings.Join(strings.Fields(blanked(text)), "")) }
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
