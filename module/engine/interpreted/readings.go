package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// lines has a line for each of several values. The zero value has no lines.
type lines struct {
	text   string
	values []int // indexes of the values
}

// linesOf makes lines of non-empty values. first is the index of the first value.
func linesOf(values []string, first int) lines {
	l := lines{text: strings.Join(values, match.LineEnd)}
	if strings.Count(l.text, match.LineEnd) != len(values)-1 || strings.Contains(l.text, "\v") {
		var escapedValues []string
		for _, value := range values {
			escapedValues = append(escapedValues, lineEndEscaper.Replace(value))
		}
		l.text = strings.Join(escapedValues, match.LineEnd)
	}
	for i := range values {
		l.values = append(l.values, first+i)
	}
	return l
}

// changed returns the lines of a text that differ from those of l. The text has the same number of lines.
func (l lines) changed(text string) lines {
	if text == l.text {
		return lines{}
	}
	if len(l.values) == 1 {
		return lines{text, l.values}
	}
	before, after := strings.Split(l.text, match.LineEnd), strings.Split(text, match.LineEnd)
	var texts []string
	var values []int
	for i, line := range after {
		if line != before[i] {
			texts = append(texts, line)
			values = append(values, l.values[i])
		}
	}
	return lines{strings.Join(texts, match.LineEnd), values}
}

// readings makes the readings of several values at once. Those of one value have the same order as in package engine. A reading
// that only repeats an earlier one of the same value can be left out.
type readings struct {
	yield func(reading lines) bool // false: stop
}

// read yields each candidate of a value until yield returns false. It returns false where limits.DecodeRounds are not enough.
func read(value string, yield func(candidate string) bool) bool {
	if isPlain(value) {
		yield(value)
		return true
	}
	found := map[string]bool{}
	isStopped := false
	r := &readings{yield: func(reading lines) bool {
		candidate := escaped(reading.text)
		if found[candidate] {
			return true
		}
		found[candidate] = true
		isStopped = !yield(candidate)
		return !isStopped
	}}
	undecoded := r.read(linesOf([]string{value}, 0))
	return isStopped || len(undecoded) == 0
}

// read yields the readings of lines until yield returns false. It returns the values for which limits.DecodeRounds are not enough.
func (r *readings) read(l lines) (undecoded []int) {
	for round := 0; len(l.values) > 0 && r.yieldRound(l); round++ {
		l = l.changed(decodedLines(l.text))
		if round == limits.DecodeRounds {
			return l.values
		}
	}
	return nil
}

// yieldRound makes the readings of one round of decoding. Like the methods below, it returns false if yield returned false.
func (r *readings) yieldRound(l lines) bool {
	if hasOnly(l.text, unchangedBytes) {
		return r.yieldForms(l) && r.yieldBase64(l)
	}
	folded := lines{foldedLines(l.text), l.values}
	cut, bare := folded.changed(cutLines(folded.text)), folded.changed(controlBytes.Replace(folded.text))
	return r.yieldForms(l) && r.yieldForms(l.changed(folded.text)) && r.yieldForms(cut) && r.yieldForms(bare) &&
		r.yieldForms(cut.changed(controlBytes.Replace(cut.text))) && r.yieldValid(l) && r.yieldBase64(l)
}

func (r *readings) yieldValid(l lines) bool {
	valid := l.changed(strings.ToValidUTF8(l.text, ""))
	return r.yieldForms(lines{controlBytes.Replace(foldedLines(valid.text)), valid.values})
}

func (r *readings) yieldBase64(l lines) bool { return r.yieldForms(l.changed(base64Texts(l.text))) }

// yieldForms makes the readings of servers that resolve backslashes, slashes, dot segments, parameters or ends of Windows names.
func (r *readings) yieldForms(b lines) bool {
	if len(b.values) == 0 {
		return true
	}
	if !r.yield(b) {
		return false
	}
	if !mayHaveForms(b.text) {
		return true
	}
	s := lines{strings.ReplaceAll(b.text, `\`, "/"), b.values}
	if s.text != b.text && !(r.yield(lines{strings.ReplaceAll(b.text, `\`, ""), b.values}) && r.yield(s)) {
		return false
	}
	plain := lines{withoutParameters(s.text), s.values}
	n := plain.changed(windowsNames(plain.text))
	return r.yieldResolved(s) && r.yieldResolved(s.changed(plain.text)) &&
		(len(n.values) == 0 || r.yield(lines{withoutDots(collapsed(n.text)), n.values}))
}

// yieldResolved makes two readings: servers resolve dot segments either after or before they collapse repeated slashes.
func (r *readings) yieldResolved(s lines) bool {
	if len(s.values) == 0 {
		return true
	}
	short := collapsed(s.text)
	return r.yield(lines{withoutDots(short), s.values}) &&
		(short == s.text || r.yield(lines{collapsed(withoutDots(s.text)), s.values}))
}
