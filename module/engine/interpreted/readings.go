package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// readings makes the readings of all lines of a text at once, in the same order as package engine.
type readings struct {
	yield func(reading string) bool // false: stop
}

// read yields each candidate of a value until yield returns false. It returns false where limits.DecodeRounds are not enough.
func read(value string, yield func(candidate string) bool) bool {
	if isPlain(value) {
		yield(value)
		return true
	}
	found := map[string]bool{}
	r := &readings{yield: func(reading string) bool {
		candidate := escaped(reading)
		if found[candidate] {
			return true
		}
		found[candidate] = true
		return yield(candidate)
	}}
	return r.read(lineEndEscaper.Replace(value))
}

// read yields the readings of lines, with repetitions. It returns false where limits.DecodeRounds are not enough.
func (r *readings) read(lines string) bool {
	for round := 0; r.yieldRound(lines); round++ {
		decoded := decodedLines(lines)
		if len(decoded) == len(lines) {
			return true
		}
		if round == limits.DecodeRounds {
			return false
		}
		lines = decoded
	}
	return true
}

// yieldRound makes the readings of one round of decoding. Like the methods below, it returns false if yield returned false.
func (r *readings) yieldRound(lines string) bool {
	if hasOnly(lines, unchangedBytes) {
		return r.yieldForms(lines) && r.yieldBase64(lines)
	}
	folded := foldedLines(lines)
	cut, bare := cutLines(folded), controlBytes.Replace(folded)
	return r.yieldForms(lines) && (folded == lines || r.yieldForms(folded)) && (cut == folded || r.yieldForms(cut)) &&
		(bare == folded || r.yieldForms(bare)) && (cut == folded || r.yieldForms(controlBytes.Replace(cut))) &&
		r.yieldValid(lines) && r.yieldBase64(lines)
}

func (r *readings) yieldValid(lines string) bool {
	valid := strings.ToValidUTF8(lines, "")
	return valid == lines || r.yieldForms(controlBytes.Replace(foldedLines(valid)))
}

func (r *readings) yieldBase64(lines string) bool {
	decoded := base64Texts(lines)
	return decoded == lines || r.yieldForms(decoded)
}

// yieldForms makes the readings of servers that resolve backslashes, slashes, dot segments, parameters or ends of Windows names.
func (r *readings) yieldForms(b string) bool {
	if !r.yield(b) {
		return false
	}
	if !mayHaveForms(b) {
		return true
	}
	s := strings.ReplaceAll(b, `\`, "/")
	if s != b && !(r.yield(strings.ReplaceAll(b, `\`, "")) && r.yield(s)) {
		return false
	}
	p := withoutParameters(s)
	n := windowsNames(p)
	return r.yieldResolved(s) && (p == s || r.yieldResolved(p)) && (n == p || r.yield(withoutDots(collapsed(n))))
}

// yieldResolved makes two readings: servers resolve dot segments either after or before they collapse repeated slashes.
func (r *readings) yieldResolved(s string) bool {
	short := collapsed(s)
	return r.yield(withoutDots(short)) && (short == s || r.yield(collapsed(withoutDots(s))))
}

// joinLines joins non-empty values to one text with a line for each.
func joinLines(values []string) string {
	lines := strings.Join(values, match.LineEnd)
	if strings.Count(lines, match.LineEnd) == len(values)-1 && !strings.Contains(lines, "\v") {
		return lines
	}
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = lineEndEscaper.Replace(value)
	}
	return strings.Join(all, match.LineEnd)
}
