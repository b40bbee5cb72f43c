package engine

// workspace holds the bytes that reading a request makes. What a method of it returns lies in one of its buffers, or is
// its argument when there is nothing to change; both are valid until the request is decided.
type workspace struct {
	kept    []byte // candidates, and values of later rounds
	scratch []byte // steps on the way to a reading
	used    int    // candidate bytes of the request so far
}

const hexDigits = "0123456789ABCDEF"

// keep copies a text to where it stays.
func (w *workspace) keep(text []byte) []byte {
	start := len(w.kept)
	w.kept = append(w.kept, text...)
	return w.kept[start:len(w.kept):len(w.kept)]
}

// since is what was appended to the scratch buffer from start on.
func (w *workspace) since(start int) []byte { return w.scratch[start:len(w.scratch):len(w.scratch)] }

func (w *workspace) write(text []byte) { w.scratch = append(w.scratch, text...) }

// escape writes the bytes outside of printable ASCII as % and two upper-case digits, into the kept buffer.
func (w *workspace) escape(text []byte) []byte {
	start := len(w.kept)
	for _, c := range text {
		if 0x20 <= c && c <= 0x7e {
			w.kept = append(w.kept, c)
		} else {
			w.kept = append(w.kept, '%', hexDigits[c>>4], hexDigits[c&15])
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

// same says whether a text came back unchanged, without looking at its bytes.
func same(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func (w *workspace) keepText(text string) []byte {
	start := len(w.kept)
	w.kept = append(w.kept, text...)
	return w.kept[start:len(w.kept):len(w.kept)]
}

// spaced keeps a copy with a space for each plus, as forms write it.
func (w *workspace) spaced(text string) []byte {
	copied := w.keepText(text)
	for i := next(copied, 0, '+'); i >= 0; i = next(copied, i, '+') {
		copied[i] = ' '
	}
	return copied
}
