package engine

import (
	"bytes"

	"github.com/request-guard/guard/limits"
)

// view is every reading of one value that some server might make, in order and without repeats.
type view struct {
	candidates [][]byte // printable ASCII; the first is the value itself
	odd        [][]byte // readings that are not printable, before escaping
	size       int      // bytes of the candidates
	isOpen     bool     // some text so far does not end in a slash: see addPath
	isCutOpen  bool     // the same for the part before the first NUL, ? or #
	limit      string   // reason code of the limit that ended it; empty: none
	lines      string   // the candidates with match.LineEnd between them; only where an interpreter runs
	isGathered bool     // the lines are not split into candidates yet
}

func (v *view) reset() {
	forget(v.candidates)
	forget(v.odd)
	*v = view{candidates: v.candidates[:0], odd: v.odd[:0]}
}

func forget(list [][]byte) {
	for i := range list {
		list[i] = nil
	}
}

// read fills an empty view with the candidates of a value of at most longest bytes. The view refers to the value.
func (v *view) read(w *workspace, value []byte, longest int) {
	if len(value) > longest {
		v.limit = ReasonLimitLength
		return
	}
	if isPlain(value) {
		v.take(w, value)
		return
	}
	for round := 0; v.readings(w, value); round++ {
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

// readings adds the readings of one round of decoding. It returns false when a limit was reached.
func (v *view) readings(w *workspace, r []byte) bool {
	f := w.fold(r)
	if !isPlausibleFold(f) {
		f = r
	}
	c, n := cut(f), w.withoutControls(f)
	v.isOpen = v.isOpen || !endsInSlash(r)
	v.isCutOpen = v.isCutOpen || !endsInSlash(cut(r)) || !endsInSlash(c)
	return v.add(w, r) && v.forms(w, r, v.isOpen) &&
		(same(f, r) || v.forms(w, f, v.isOpen)) &&
		(same(c, f) || v.forms(w, c, v.isCutOpen)) &&
		(same(n, f) || v.forms(w, n, v.isOpen))
}

// forms adds the readings of servers for which backslashes, repeated slashes, dot segments, parameters or the endings
// of Windows names have a meaning. isOpen is that of addPath.
func (v *view) forms(w *workspace, b []byte, isOpen bool) bool {
	mark := len(w.scratch)
	s := w.slashes(b)
	ok := v.add(w, b) &&
		(same(s, b) || v.add(w, w.withoutBackslashes(b)) && v.add(w, s)) &&
		v.resolved(w, s, isOpen)
	if ok {
		p := w.withoutParameters(s)
		t := w.windowsNames(p)
		ok = (same(p, s) || v.addPath(w, w.dots(w.collapse(p)), isOpen)) &&
			(same(t, p) || v.addPath(w, w.dots(w.collapse(t)), isOpen))
	}
	w.scratch = w.scratch[:mark]
	return ok
}

// resolved adds s with its dot segments resolved, after and before repeated slashes collapse.
func (v *view) resolved(w *workspace, s []byte, isOpen bool) bool {
	collapsed := w.collapse(s)
	if !v.addPath(w, w.dots(collapsed), isOpen) {
		return false
	}
	return same(collapsed, s) || v.addPath(w, w.collapse(w.dots(s)), isOpen)
}

// addPath adds a resolved path. Where the path is open, so that its final slash was encoded or remains of a final dot
// segment, it adds the path without the slash too: path.Clean, normpath of Python and normalize of Node leave none after
// a final dot segment.
func (v *view) addPath(w *workspace, path []byte, isOpen bool) bool {
	if !v.add(w, path) {
		return false
	}
	end := len(path) - 1
	return !isOpen || end < 1 || path[0] != '/' || path[end] != '/' || v.add(w, path[:end])
}

func endsInSlash(text []byte) bool { return len(text) > 0 && text[len(text)-1] == '/' }

// add appends a reading in its printable form unless the view has it. It returns false when a limit was reached.
func (v *view) add(w *workspace, reading []byte) bool {
	switch {
	case contains(v.candidates, reading):
		return true
	case isPrintable(reading):
		return v.take(w, w.keep(reading))
	case contains(v.odd, reading):
		return true
	}
	v.odd = append(v.odd, w.keep(reading))
	candidate := w.escape(reading)
	return contains(v.candidates, candidate) || v.take(w, candidate)
}

// take appends a new candidate. It returns false when that would exceed a limit.
func (v *view) take(w *workspace, candidate []byte) bool {
	if v.size+len(candidate) > limits.ViewBytes || w.used+len(candidate) > limits.RequestBytes {
		v.limit = ReasonLimitCandidates
		return false
	}
	v.size += len(candidate)
	w.used += len(candidate)
	v.candidates = append(v.candidates, candidate)
	return true
}

// contains searches from the end: most repeats are of the last few readings.
func contains(list [][]byte, text []byte) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if bytes.Equal(list[i], text) {
			return true
		}
	}
	return false
}
