package engine

import "regexp"

// What is inspected of a value of a body that has a Content-Encoding: servers that ignore the header read the bytes
// verbatim. Values of compressed bodies match rules by chance, so that only text counts, and a part of a value has to be long.

var (
	textRun  = regexp.MustCompile(`\A[ -~\t\r\n]+\z|[ -~\t\r\n]{8,}`)
	climbRun = regexp.MustCompile(`\.\.|%[2cefuCEFU]`)
)

// longRun is the number of bytes from which a part of a value counts. A shorter one needs two dots, or the start of an escape
// of one.
const longRun = 16

// inspectRuns inspects the runs of text in a value. It returns false when the inspection is done.
func (b *bodyInspection) inspectRuns(value []byte) bool {
	for _, run := range textRun.FindAll(value, -1) {
		counts := len(run) == len(value) || len(run) >= longRun || climbRun.Match(run)
		if counts && (!b.counts(run) || !b.whole(run)) {
			return false
		}
	}
	return !b.isDone
}
