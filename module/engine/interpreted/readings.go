package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine"
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

// addAll adds all readings of lines. The readings of each value have the same order as in package engine. A reading that repeats an
// earlier one of its value can be left out. It returns the indexes of the values for which limits.DecodeRounds are not enough.
func (s *scan) addAll(l lines) (undecoded []int) {
	for round := 0; len(l.values) > 0 && s.addRound(l); round++ {
		l = l.changed(decodedLines(l.text))
		if round == limits.DecodeRounds {
			return l.values
		}
	}
	return nil
}

// addRound adds the readings of one round of decoding. Like the methods below, it returns false if add returned false.
func (s *scan) addRound(l lines) bool {
	if hasOnly(l.text, unchangedBytes) {
		return s.addForms(l) && s.addOfKind(l, l) && s.addBase64(l)
	}
	folded := lines{foldedLines(l.text), l.values}
	cut, bare := folded.changed(cutLines(folded.text)), folded.changed(controlBytes.Replace(folded.text))
	whole := lines{controlBytes.Replace(folded.text), l.values}
	ended := lines{controlBytes.Replace(cutLines(folded.text)), l.values}
	return s.addForms(l) && s.addForms(l.changed(folded.text)) && s.addForms(cut) && s.addForms(bare) &&
		s.addForms(cut.changed(controlBytes.Replace(cut.text))) && s.addValid(l) && s.addOfKind(whole, ended) && s.addBase64(l)
}

// addOfKind adds the readings that only a path has, of its end, or only other values, of the whole values.
func (s *scan) addOfKind(whole, ended lines) bool {
	if !s.isPath {
		return s.addForms(whole.changed(trimmedLines(whole.text)))
	}
	for _, reading := range engine.PathReadings(strings.ReplaceAll(ended.text, `\`, "/"), withoutDots) {
		if !s.addForms(lines{reading, ended.values}) {
			return false
		}
	}
	return true
}

func (s *scan) addValid(l lines) bool {
	valid := l.changed(strings.ToValidUTF8(l.text, ""))
	return s.addForms(lines{controlBytes.Replace(foldedLines(valid.text)), valid.values})
}

func (s *scan) addBase64(l lines) bool { return s.addForms(l.changed(base64Texts(l.text))) }

// addForms adds the readings of servers that resolve backslashes, slashes, dot segments, parameters or ends of Windows names.
func (s *scan) addForms(b lines) bool {
	if len(b.values) == 0 {
		return true
	}
	if !s.add(b) {
		return false
	}
	if !mayHaveForms(b.text) {
		return true
	}
	slashed := lines{strings.ReplaceAll(b.text, `\`, "/"), b.values}
	if slashed.text != b.text && !(s.add(lines{strings.ReplaceAll(b.text, `\`, ""), b.values}) && s.add(slashed)) {
		return false
	}
	plain := lines{withoutParameters(slashed.text), slashed.values}
	n := plain.changed(windowsNames(plain.text))
	return s.add(lines{withSingleSlashes(slashed.text), slashed.values}) && s.addResolved(slashed) && s.addResolved(slashed.changed(plain.text)) &&
		(len(n.values) == 0 || s.add(lines{withoutDots(withSingleSlashes(n.text)), n.values}))
}

// addResolved adds two readings: servers resolve dot segments either after or before they collapse repeated slashes.
func (s *scan) addResolved(l lines) bool {
	if len(l.values) == 0 {
		return true
	}
	short := withSingleSlashes(l.text)
	return s.add(lines{withoutDots(short), l.values}) &&
		(short == l.text || s.add(lines{withSingleSlashes(withoutDots(l.text)), l.values}))
}
