package engine

import (
	"bytes"
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// This file is a prefilter for the values of a query, form or JSON. One pass reads each value verbatim and decoded once, and
// each of the two also with a space in place of each plus. A value is clean if it has no other readings and no rule matches these.

// mostReadings is the maximum number of readings of a clean value: verbatim and decoded, each also with spaces for pluses.
const mostReadings = 4

// cleanBytes bounds the values that can be clean, and cleanBodyBytes the bodies. Their readings then reach no limit on candidates:
// mostReadings of a value have at most limits.ViewBytes, and those of a body at most limits.RequestBytes.
const (
	cleanBytes     = limits.QueryBytes
	cleanBodyBytes = limits.RequestBytes / mostReadings
)

// valueClass differs from byteClass for a plus, which is also a space, and for a quotation mark, which may belong to JSON.
var valueClass = func() [256]byte {
	classes := byteClass
	classes['+'], classes['"'] = spaceByte, specialByte
	return classes
}()

var keyEnds, valueEnds, stringEnds = byteSet("&="), byteSet("&"), byteSet(`"`)

// isFileKeyByte has the bytes with which a text that FileKey matches can begin.
var isFileKeyByte = byteSet("fF%" + fileKeyBlanks)

var isOutsideOfStrings = byteSet(outsideOfStrings)

func byteSet(members string) (is [256]bool) {
	for i := 0; i < len(members); i++ {
		is[members[i]] = true
	}
	return is
}

// isQueryClean reports whether all values of a query are clean. It then counts their candidates towards the budget of the request.
func (e *evaluation) isQueryClean(query string) bool {
	if !e.hasValuePrefilter() || len(query) > cleanBytes || e.buffers.used+mostReadings*len(query) > limits.RequestBytes {
		return false
	}
	used := e.buffers.used
	pairs, isClean := e.arePairsClean(e.buffers.keepText(query), queryKind)
	if !isClean || pairs > limits.QueryPairs {
		e.buffers.used = used
		return false
	}
	return true
}

// isBodyClean reports whether all values of a body are clean. It returns false unless the only format is a form or JSON.
func (e *evaluation) isBodyClean(body []byte, formats []format) bool {
	if !e.hasValuePrefilter() || len(formats) != 1 || len(body) > cleanBodyBytes || len(body) > e.rules.policy.MaxBodyBytes {
		return false
	}
	values, isClean := 0, false
	switch formats[0] {
	case formFormat:
		values, isClean = e.arePairsClean(body, bodyKind)
		values *= 2 // a pair has up to two values: a key and a value
	case jsonFormat:
		values, isClean = e.isJSONClean(body)
	}
	return isClean && values <= limits.BodyValues
}

func (e *evaluation) hasValuePrefilter() bool { return e.rules.steps == nil && e.trace == nil }

func (e *evaluation) arePairsClean(text []byte, k kind) (pairs int, isClean bool) {
	ends := &keyEnds
	for from := 0; from <= len(text); from++ {
		end := e.cleanEnd(text, from, ends, k)
		if end < 0 {
			return pairs, false
		}
		if ends == &keyEnds && end < len(text) && text[end] == '=' {
			if end > from && isFileKeyByte[text[from]] && mayNameFile(withoutKeyBlanks(text[from:end])) && filePair.Match(text[from:end+1]) {
				return pairs, false // file=<value> is also inspected
			}
			ends = &valueEnds
		} else {
			ends = &keyEnds
			pairs++
		}
		from = end
	}
	return pairs, true
}

// withoutKeyBlanks removes fileKeyBlanks at the start of a key.
func withoutKeyBlanks(key []byte) []byte {
	if strings.IndexByte(fileKeyBlanks, key[0]) < 0 {
		return key
	}
	return bytes.TrimLeft(key, fileKeyBlanks)
}

// isJSONClean also returns the number of strings. A text in which some parser can find other strings is not clean.
func (e *evaluation) isJSONClean(text []byte) (values int, isClean bool) {
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			if i = e.cleanEnd(text, i+1, &stringEnds, bodyKind); i < 0 || i == len(text) {
				return values, false
			}
			values++
		} else if !isOutsideOfStrings[text[i]] {
			return values, false
		}
	}
	return values, true
}

// reading runs the prefilter over one reading of a value.
type reading struct {
	prefilter     *match.Prefilter
	state, before uint32 // the states after and before the last byte
	highest       uint32 // the highest state so far
}

func (r *reading) step(c byte) {
	r.before = r.state
	r.state = r.prefilter.Step(r.state, c)
	if r.state > r.highest {
		r.highest = r.state
	}
}

// hasLiteral reports whether the reading contains a literal, with or without its final slash.
func (r *reading) hasLiteral(isSlashLast bool) bool {
	return r.prefilter.HasLiteral(r.highest) || r.prefilter.HasLiteralAtEnd(r.state) ||
		isSlashLast && r.prefilter.HasLiteralAtEnd(r.before)
}

// cleanEnd returns the end of the value that begins at index from: the index of a byte in ends, or the length of the text. It returns -1
// if the value is not clean. Only the decoded value is tested for other readings: it has all bytes of the sent value except escapes.
func (e *evaluation) cleanEnd(text []byte, from int, ends *[256]bool, k kind) int {
	sent := reading{prefilter: e.rules.prefilter, state: e.rules.prefilter.Start()}
	decoded := sent // copied from sent again at the first escape, because both readings are equal before it
	before, escapes, pluses, i := byte(ordinaryByte), 0, 0, from
	for ; i < len(text) && !ends[text[i]]; i++ {
		c := text[i]
		if c == '+' {
			pluses++
		}
		if c == '%' {
			if i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2]) {
				return -1
			}
			if escapes == 0 {
				decoded = sent
			}
			escapes++
			sent.step(c)
			sent.step(text[i+1])
			c = Unhex(text[i+1])<<4 | Unhex(text[i+2])
			i += 2
		}
		sent.step(text[i])
		if escapes > 0 {
			decoded.step(c)
		}
		class := valueClass[c]
		if class != ordinaryByte && !isPlainBehind(class, before) {
			return -1
		}
		before = class
	}
	isSuspect := sent.hasLiteral(before == slashByte) || escapes > 0 && decoded.hasLiteral(before == slashByte)
	if i-from > cleanBytes || before >= dotByte || !e.isValueClean(text[from:i], isSuspect || e.rules.prefilter.HasPatternWithoutLiteral(), k) {
		return -1
	}
	e.buffers.used += sizeOfReadings(i-from, escapes, pluses)
	return i
}

// sizeOfReadings returns the total length of the candidates of a clean value with this length and these numbers of escapes and pluses.
func sizeOfReadings(size, escapes, pluses int) int {
	if escapes > 0 {
		size += size - escapes*len("HH")
	}
	if pluses > 0 {
		size *= 2
	}
	return size
}

// isValueClean checks that a plain value is not base64 and, if it is suspect, that no rule matches one of its readings.
func (e *evaluation) isValueClean(value []byte, isSuspect bool, k kind) bool {
	decoded := e.buffers.decode(value)
	_, is64 := e.buffers.base64Text(decoded)
	isClean := !is64 && !mayBeJSON64(decoded) && !(isSuspect && (e.matchesReading(value, k) || e.matchesReading(decoded, k)))
	e.buffers.scratch = e.buffers.scratch[:0]
	return isClean
}

// matchesReading reports whether a rule matches a text, or the text with a space in place of each plus.
func (e *evaluation) matchesReading(text []byte, k kind) bool {
	return e.matchesText(text, k) || bytes.IndexByte(text, '+') >= 0 && e.matchesText(withSpaces(e.buffers.keep(text)), k)
}

// matchesText reports whether a rule matches a text, or the text without its final slash.
func (e *evaluation) matchesText(text []byte, k kind) bool {
	return e.firstMatch(text, k) != nil || len(text) > 1 && text[len(text)-1] == '/' && e.firstMatch(text[:len(text)-1], k) != nil
}
