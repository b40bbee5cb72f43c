package engine

import (
	"bytes"

	"github.com/request-guard/guard/limits"
)

// workspace has the buffers for the readings of a request. Its methods return a part of a buffer, or their argument if nothing
// changes. Texts in kept are valid until the request is decided, those in scratch until a caller shortens scratch.
type workspace struct {
	kept    []byte // candidates, and values of later rounds
	scratch []byte // intermediate results
	used    int    // candidate bytes of the request or, once its inspection began, of the body
	has64   bool   // a value of the request is base64, or may be: a limit ended its readings
}

const HexDigits = "0123456789ABCDEF"

func (w *workspace) keep(text []byte) []byte {
	start := len(w.kept)
	w.kept = append(w.kept, text...)
	return w.kept[start:len(w.kept):len(w.kept)]
}

func (w *workspace) scratchFrom(start int) []byte {
	return w.scratch[start:len(w.scratch):len(w.scratch)]
}

func (w *workspace) write(text []byte) { w.scratch = append(w.scratch, text...) }

// escape appends a text to the kept buffer, with the bytes outside printable ASCII as % and two upper-case digits.
func (w *workspace) escape(text []byte) []byte {
	start := len(w.kept)
	for _, c := range text {
		if 0x20 <= c && c <= 0x7e {
			w.kept = append(w.kept, c)
		} else {
			w.kept = append(w.kept, '%', HexDigits[c>>4], HexDigits[c&15])
		}
	}
	return w.kept[start:len(w.kept):len(w.kept)]
}

func isPrintable(text []byte) bool {
	for _, c := range text {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

// isSameMemory reports whether two texts are the same memory, because a method of workspace returned its argument unchanged.
func isSameMemory(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func (w *workspace) keepText(text string) []byte {
	start := len(w.kept)
	w.kept = append(w.kept, text...)
	return w.kept[start:len(w.kept):len(w.kept)]
}

// withSpaces replaces each plus in the text itself by a space, and returns the text.
func withSpaces(text []byte) []byte {
	for i := indexFrom(text, 0, '+'); i >= 0; i = indexFrom(text, i, '+') {
		text[i] = ' '
	}
	return text
}

// view has the candidates of one value: every reading that some server might make, in order and without repetitions. Methods that
// add readings return false when a limit was reached.
type view struct {
	candidates  [][]byte // printable ASCII; the first is the value itself, escaped
	unprintable [][]byte // the readings that are not printable ASCII; their escaped forms are candidates
	size        int      // bytes of the candidates
	limit       string   // reason code of the limit that ended the list; empty: it is complete
	isWhole     bool     // the value is printable ASCII, and no candidate has a shorter reading
}

func (v *view) reset() {
	if len(v.candidates) == 0 && v.limit == "" {
		return
	}
	clearTexts(v.candidates)
	clearTexts(v.unprintable)
	*v = view{candidates: v.candidates[:0], unprintable: v.unprintable[:0]}
}

func clearTexts(list [][]byte) {
	for i := range list {
		list[i] = nil
	}
}

// read fills an empty view with the candidates of a path or another value, whose memory it keeps. A value longer than longest has
// only a limit.
func (v *view) read(w *workspace, value []byte, longest int, isPath bool) {
	if len(value) > longest {
		v.limit = ReasonLimitLength
		return
	}
	if isPlain(value) {
		hasInfo := mayHavePathInfo(value)
		if !isPath || isRooted(value) && (!hasInfo || controllerEnd(value) == 0) {
			v.isWhole = !hasInfo && (len(value) < 2 || value[len(value)-1] != '/')
			_ = v.append(w, value) && v.addBase64(w, value)
			return
		}
	}
	for round := 0; v.addReadings(w, value, isPath); round++ {
		decoded := w.decode(value)
		if len(decoded) == len(value) {
			return
		}
		if round == limits.DecodeRounds {
			v.limit = ReasonLimitDecodeRounds
			return
		}
		value = w.keep(decoded)
		w.scratch = w.scratch[:0]
	}
}

// mayHavePathInfo returns false only if no slash follows a dot, so that no script has path info.
func mayHavePathInfo(value []byte) bool {
	dot := bytes.IndexByte(value, '.')
	return dot >= 0 && bytes.IndexByte(value[dot:], '/') >= 0
}

// readBySteps is like read, but uses the steps of an interpreted program.
func (v *view) readBySteps(w *workspace, steps *Steps, value string, longest int, isPath bool) {
	if len(value) > longest {
		v.limit = ReasonLimitLength
		return
	}
	candidates, limit := steps.Read(value, isPath)
	for _, candidate := range candidates {
		if !v.append(w, []byte(candidate)) {
			return
		}
	}
	v.limit = limit
}

func (v *view) addReadings(w *workspace, r []byte, isPath bool) bool {
	f := w.plausibleText(r)
	c, n, valid := cutPath(f), w.withoutControls(f), w.withoutInvalidUTF8(r)
	b := n
	if !isSameMemory(c, f) {
		b = w.withoutControls(c)
	}
	return v.add(w, r) && v.addForms(w, r) &&
		(isSameMemory(f, r) || v.addForms(w, f)) &&
		(isSameMemory(c, f) || v.addForms(w, c)) &&
		(isSameMemory(n, f) || v.addForms(w, n)) &&
		(isSameMemory(b, c) || isSameMemory(c, f) || v.addForms(w, b)) &&
		(isSameMemory(valid, r) || v.addForms(w, w.withoutControls(w.plausibleText(valid)))) &&
		v.addOfKind(w, n, b, isPath) &&
		v.addBase64(w, r)
}

// addOfKind adds the readings that only a path has, of its end without controls, or only another value, of the whole value.
func (v *view) addOfKind(w *workspace, whole, ended []byte, isPath bool) bool {
	if !isPath {
		trimmed := trimBlanks(whole)
		return isSameMemory(trimmed, whole) || v.addForms(w, trimmed)
	}
	if !isPathAmbiguous(ended) {
		return true
	}
	resolve := func(path string) string { return string(w.resolveDots([]byte(path))) }
	for _, reading := range PathReadings(string(w.withSlashes(ended)), resolve) {
		if !v.addForms(w, []byte(reading)) {
			return false
		}
	}
	return true
}

func (v *view) addBase64(w *workspace, value []byte) bool {
	text, is64 := w.base64Text(value)
	v.isWhole, w.has64 = v.isWhole && !is64, w.has64 || is64 || mayBeJSON64(value)
	return !is64 || v.addForms(w, text)
}

// addForms adds the readings of servers that resolve backslashes, slashes, dot segments, parameters or ends of Windows names.
func (v *view) addForms(w *workspace, b []byte) bool {
	mark := len(w.scratch)
	s := w.withSlashes(b)
	c := w.collapse(s)
	ok := v.add(w, b) &&
		(isSameMemory(s, b) || v.add(w, w.withoutBackslashes(b)) && v.add(w, s)) &&
		(isSameMemory(c, s) || v.add(w, c)) &&
		v.addResolved(w, s, c)
	if ok {
		p := w.withoutParameters(s)
		t := w.windowsNames(p)
		ok = (isSameMemory(p, s) || v.addResolved(w, p, w.collapse(p))) &&
			(isSameMemory(t, p) || v.add(w, w.resolveDots(w.collapse(t))))
	}
	w.scratch = w.scratch[:mark]
	return ok
}

// addResolved adds two readings of s: servers resolve dot segments either after or before they collapse repeated
// slashes. collapsed is the result of collapse for s.
func (v *view) addResolved(w *workspace, s, collapsed []byte) bool {
	return v.add(w, w.resolveDots(collapsed)) && (isSameMemory(collapsed, s) || v.add(w, w.collapse(w.resolveDots(s))))
}

// add appends a reading in its printable form unless the view has it.
func (v *view) add(w *workspace, reading []byte) bool {
	switch {
	case containsText(v.candidates, reading):
		return true
	case isPrintable(reading):
		return v.append(w, w.keep(reading))
	case containsText(v.unprintable, reading):
		return true
	}
	v.unprintable = append(v.unprintable, w.keep(reading))
	candidate := w.escape(reading)
	return containsText(v.candidates, candidate) || v.append(w, candidate)
}

func (v *view) append(w *workspace, candidate []byte) bool {
	if v.size+len(candidate) > limits.ViewBytes || w.used+len(candidate) > limits.RequestBytes {
		v.limit, w.has64 = ReasonLimitCandidates, true
		return false
	}
	v.size += len(candidate)
	w.used += len(candidate)
	v.candidates = append(v.candidates, candidate)
	return true
}

// containsText reports whether a list has a text. It searches from the end, because most repetitions are of the last few readings.
func containsText(list [][]byte, text []byte) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if bytes.Equal(list[i], text) {
			return true
		}
	}
	return false
}
