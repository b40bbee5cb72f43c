package engine

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// textReadings makes the readings of lines in the order of view.read, for an interpreted program.
type textReadings struct {
	take      func(reading string) bool // false: ends the readings
	isSeveral bool                      // lines: a step that changes some is made for those only
	// mindsSpaces is set where a plus in the place of a space could change a step. It is known of several lines.
	mindsSpaces bool
}

// readText is view.read for a string.
func (v *view) readText(w *workspace, text string, longest int) {
	if len(text) > longest {
		v.limit = ReasonLimitLength
		return
	}
	if isPlainText(text) {
		if v.take(w, []byte(text)) {
			v.lines = text
		}
		return
	}
	found := map[string]bool{}
	var texts []string
	t := &textReadings{take: func(reading string) bool {
		candidate := textEscapes(reading)
		if found[candidate] {
			return true
		}
		if !v.take(w, []byte(candidate)) {
			return false
		}
		found[candidate] = true
		texts = append(texts, candidate)
		return true
	}}
	if !t.read(asLine.Replace(text)) {
		v.limit = ReasonLimitDecodeRounds
	}
	v.lines = strings.Join(texts, match.LineEnd)
}

// read returns false where the last round of decoding is not enough.
func (t *textReadings) read(text string) bool {
	t.isSeveral = strings.Contains(text, match.LineEnd)
	t.mindsSpaces = !t.isSeveral
	for round := 0; t.readings(text); round++ {
		text = t.some(text, markedPercents)
		decoded := decodeText(text)
		if len(decoded) == len(text) {
			return true
		}
		if round == limits.DecodeRounds {
			return false
		}
		text = decoded
	}
	return true
}

// some returns the lines that a step may change.
func (t *textReadings) some(text string, marked func(lines string) string) string {
	if !t.isSeveral {
		return text
	}
	return linesWith(text, marked)
}

// readings adds the readings of one round of decoding. It returns false when a limit was reached.
func (t *textReadings) readings(r string) bool {
	if hasOnly(r, unmarkedBytes) {
		return t.forms(r) && t.decoded64(r)
	}
	f := foldText(r)
	long, raw := t.some(f, markedCuts), t.some(f, markedControls)
	c, n := cutText(long), textControls.Replace(raw)
	b := c
	if c != long {
		b = textControls.Replace(c)
	}
	return t.forms(r) && (f == r || t.forms(f)) && (c == long || t.forms(c)) && (n == raw || t.forms(n)) &&
		(b == c || t.forms(t.changed(c, b))) && t.valid(r) && t.decoded64(r)
}

// valid adds the readings without bytes of invalid UTF-8.
func (t *textReadings) valid(r string) bool {
	valid := strings.ToValidUTF8(r, "")
	return valid == r || t.forms(textControls.Replace(foldText(t.changed(r, valid))))
}

// decoded64 adds the readings of the texts of values in base64.
func (t *textReadings) decoded64(r string) bool {
	if t.isSeveral && strings.Contains(r, " ") {
		t.mindsSpaces = t.mindsSpaces || base64Line.MatchString(strings.ReplaceAll(r, " ", "+"))
	}
	decoded := base64Texts(r)
	return decoded == r || t.forms(t.changed(r, decoded))
}

// changed returns the lines that a step has changed.
func (t *textReadings) changed(before, after string) string {
	if !t.isSeveral {
		return after
	}
	text, _ := changedLines(before, after)
	return text
}

// forms is view.forms for lines.
func (t *textReadings) forms(b string) bool {
	if !t.take(b) {
		return false
	}
	if !hasShapes(b) {
		return true
	}
	s := strings.ReplaceAll(b, `\`, "/")
	if s != b && !t.withoutBackslashes(t.some(b, markedBackslashes)) {
		return false
	}
	if some := t.some(s, markedSegments); some != "" && !t.resolved(some) {
		return false
	}
	p := withoutParametersText(s)
	if p != s && !t.resolved(t.someWithoutParameters(s, p)) {
		return false
	}
	t.mindsSpaces = t.mindsSpaces || t.isSeveral && hasSpaceInTail(p)
	q := t.some(p, markedTails)
	n := windowsText(q)
	return n == q || t.take(dotsText(collapseText(n)))
}

// hasSpaceInTail reports whether windowsText may remove a space from one of several lines.
func hasSpaceInTail(lines string) bool {
	return strings.Contains(lines, " /") || strings.Contains(lines, " .") || strings.Contains(lines, " \n") ||
		strings.HasSuffix(lines, " ") || strings.Contains(lines, ":$")
}

// someWithoutParameters is p, which is s without parameters, or those lines of it that had some.
func (t *textReadings) someWithoutParameters(s, p string) string {
	if some := t.some(s, markedSemicolons); some != s {
		return withoutParametersText(some)
	}
	return p
}

func (t *textReadings) withoutBackslashes(b string) bool {
	return t.take(strings.ReplaceAll(b, `\`, "")) && t.take(strings.ReplaceAll(b, `\`, "/"))
}

// resolved is view.resolved.
func (t *textReadings) resolved(s string) bool {
	collapsed := collapseText(s)
	return t.take(dotsText(collapsed)) && (collapsed == s || t.take(collapseText(dotsText(s))))
}
