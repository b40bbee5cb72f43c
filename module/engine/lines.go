package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
)

// lineMark is in the place of a text in a line. No line has it: a vertical tab in a line is a part of a pair of asLine.
const lineMark = "\v\x00"

// These put marks in the place of the texts that a step changes, and a line end behind the last line; "": there is none of the
// texts. They are function values, because a method call costs an interpreter about twice as much.
var (
	markedPercents    = marking("%")
	markedCuts        = marking("\x00", "?", "#")
	markedControls    = marking(controlTexts()...)
	markedBackslashes = marking(`\`)
	markedSegments    = marking("//", "/.")
	markedSemicolons  = marking(";")
	markedSlashes     = marking("/\n")
	markedTails       = marking(":$", "./", " /", ".\n", " \n")
	markedPluses      = marking("+")
)

func marking(texts ...string) func(lines string) string {
	var pairs []string
	for _, text := range texts {
		to := lineMark
		if strings.HasSuffix(text, match.LineEnd) {
			to += match.LineEnd
		}
		pairs = append(pairs, text, to)
	}
	marked := strings.NewReplacer(pairs...).Replace
	return func(lines string) string {
		for _, text := range texts {
			if strings.Contains(lines, text) || endsLastLine(lines, text) {
				return marked(lines + match.LineEnd)
			}
		}
		return ""
	}
}

// endsLastLine reports whether the last line ends in a text with a line end.
func endsLastLine(lines, text string) bool {
	return strings.HasSuffix(text, match.LineEnd) && strings.HasSuffix(lines, text[:len(text)-1])
}

func controlTexts() []string {
	var texts []string
	for c := 0; c < 256; c++ {
		if isLineControl(byte(c)) {
			texts = append(texts, string([]byte{byte(c)}))
		}
	}
	return texts
}

var (
	// marksOfLines makes marks of package match of the bytes that onlyLineMarks keeps. A line may have more than it had.
	marksOfLines  = strings.NewReplacer(lineMark, match.Mark, match.LineEnd, match.Between, "\v", "", "\x00", "").Replace
	onlyLineMarks = match.Keeping(lineMark + match.LineEnd)
)

// mostSelected bounds the lines that are selected one by one. Where there are more, a step on all lines costs less.
const mostSelected = 512

// linesWith returns the lines with a text that marked marks, or all lines; "": there is none.
func linesWith(lines string, marked func(lines string) string) string {
	found := marked(lines)
	count := strings.Count(found, lineMark)
	switch {
	case count == 0:
		return ""
	case count > mostSelected || !strings.Contains(lines, match.LineEnd):
		return lines
	}
	return strings.Join(match.Selected(strings.Split(lines, match.LineEnd), marksOfLines(onlyLineMarks(found))), match.LineEnd)
}
