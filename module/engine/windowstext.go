package engine

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine/match"
)

// windowsNames for lines, in a few calls of the standard library: a step of library.go. Dots and spaces at the start of a segment
// are hidden while those at its end are removed.

// pairsOfLines are those of asLine. A text that has one of them can have half of it before a hidden dot or space.
var (
	pairsOfLines = []string{"\v\v", "\v\v", "\v\f", "\v\f"}
	keptPairs    = []string{"\v\x01.", "\v\x01\v\x01", "\v\x01 ", "\v\x01\v\x02", "\v\x02.", "\v\x02\v\x01", "\v\x02 ", "\v\x02\v\x02"}
	hiddenPairs  = []string{"\v\x01", ".", "\v\x02", " "}
)

var (
	textStreams    = regexp.MustCompile(`(::\$[^/\n]*)|([^/\n]+?)::\$[^/\n]*|(:\$[^/\n]*)|([^/\n]+?):\$[^/\n]*|([^/\n]+)`)
	textTails      = regexp.MustCompile(`(?m)([^/. \n])[. ]+(/|$)`)
	tailEnds       = inTurn([]string{".\n", "\n", " \n", "\n", "./", "/", " /", "/"})
	keptStarts     = inTurn([]string{"\n.", "\n\v\x01", "\n ", "\n\v\x02", "/.", "/\v\x01", "/ ", "/\v\x02"})
	keptInTurn     = inTurn(keptPairs)
	restoredInTurn = inTurn(hiddenPairs)
	keptRuns       = strings.NewReplacer(append(pairsOfLines[:4:4], keptPairs...)...)
	notKept        = strings.NewReplacer(append(pairsOfLines[:4:4], hiddenPairs...)...)
)

// inTurn makes a function that replaces one text after the other. Where few of them occur, it takes a fraction of the time of a
// strings.Replacer.
func inTurn(pairs []string) func(text string) string {
	return func(text string) string {
		for i := 0; i < len(pairs); i += 2 {
			text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
		}
		return text
	}
}

func windowsText(s string) string {
	if strings.Contains(s, ":$") {
		s = textStreams.ReplaceAllString(s, "${1}${2}${3}${4}${5}")
	}
	return withoutTails(s)
}

// tailRounds bounds the passes over a text with several dots and spaces in a row.
const tailRounds = 4

// withoutTails removes trailing dots and spaces of segments that have something before. Passes of replacers are much faster
// than an expression. The dots and spaces at the start of a segment are hidden meanwhile.
func withoutTails(s string) string {
	if !strings.Contains(s, "./") && !strings.Contains(s, " /") && !hasEnds(s) {
		return s
	}
	whole := match.LineEnd + s + match.LineEnd
	text := keptStarts(whole)
	isWhole, isKept := true, len(text) > len(whole)
	hasPairs := strings.Contains(whole, "\v") // those of asLine
	if isKept && hasPairs {
		text, isWhole = stable(keptRuns.Replace, text)
	} else if isKept {
		text, isWhole = stable(keptInTurn, text)
	}
	if isWhole {
		text, isWhole = stable(tailEnds, text)
	}
	if !isWhole {
		return textTails.ReplaceAllString(s, "${1}${2}")
	}
	if isKept && hasPairs {
		text = notKept.Replace(text)
	} else if isKept {
		text = restoredInTurn(text)
	}
	return text[1 : len(text)-1]
}

// stable repeats a step. It reports whether the last of a few rounds changed nothing.
func stable(step func(text string) string, text string) (string, bool) {
	for round := 0; round < tailRounds; round++ {
		next := step(text)
		if len(next) == len(text) {
			return text, true
		}
		text = next
	}
	return text, false
}
