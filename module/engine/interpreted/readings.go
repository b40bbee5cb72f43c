package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// readings makes the readings of lines, in the order of the loops of package engine.
type readings struct {
	take func(reading string) bool // false: no more readings
}

// read calls take with each candidate of a value until it returns false. It returns false where the last round of decoding is not
// enough.
func read(value string, take func(candidate string) bool) bool {
	if isPlain(value) {
		take(value)
		return true
	}
	found := map[string]bool{}
	r := &readings{take: func(reading string) bool {
		candidate := escaped(reading)
		if found[candidate] {
			return true
		}
		found[candidate] = true
		return take(candidate)
	}}
	return r.read(asLine.Replace(value))
}

// read is the function read for lines.
func (r *readings) read(lines string) bool {
	for round := 0; r.ofRound(lines); round++ {
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

// ofRound makes the readings of one round of decoding. It returns false when take did.
func (r *readings) ofRound(lines string) bool {
	if hasOnly(lines, unmarkedBytes) {
		return r.forms(lines) && r.decoded64(lines)
	}
	folded := foldedLines(lines)
	cut, bare := cutLines(folded), controlBytes.Replace(folded)
	return r.forms(lines) && (folded == lines || r.forms(folded)) && (cut == folded || r.forms(cut)) &&
		(bare == folded || r.forms(bare)) && (cut == folded || r.forms(controlBytes.Replace(cut))) &&
		r.valid(lines) && r.decoded64(lines)
}

// valid makes the readings without bytes of invalid UTF-8.
func (r *readings) valid(lines string) bool {
	valid := strings.ToValidUTF8(lines, "")
	return valid == lines || r.forms(controlBytes.Replace(foldedLines(valid)))
}

// decoded64 makes the readings of the texts of values in base64.
func (r *readings) decoded64(lines string) bool {
	decoded := base64Texts(lines)
	return decoded == lines || r.forms(decoded)
}

// forms makes the readings of servers for which backslashes, repeated slashes, dot segments, parameters or the ends of Windows names
// have a meaning.
func (r *readings) forms(b string) bool {
	if !r.take(b) {
		return false
	}
	if !hasShapes(b) {
		return true
	}
	s := strings.ReplaceAll(b, `\`, "/")
	if s != b && !(r.take(strings.ReplaceAll(b, `\`, "")) && r.take(s)) {
		return false
	}
	p := withoutParameters(s)
	n := windowsNames(p)
	return r.resolved(s) && (p == s || r.resolved(p)) && (n == p || r.take(withoutDots(collapsed(n))))
}

// resolved makes s with its dot segments resolved, after and before repeated slashes collapse.
func (r *readings) resolved(s string) bool {
	short := collapsed(s)
	return r.take(withoutDots(short)) && (short == s || r.take(collapsed(withoutDots(s))))
}

// asLines makes lines of values that are not empty.
func asLines(values []string) string {
	lines := strings.Join(values, match.LineEnd)
	if strings.Count(lines, match.LineEnd) == len(values)-1 && !strings.Contains(lines, "\v") {
		return lines
	}
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = asLine.Replace(value)
	}
	return strings.Join(all, match.LineEnd)
}
