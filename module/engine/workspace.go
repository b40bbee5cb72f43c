package engine

// workspace holds the bytes of the readings of a request. A method returns a part of one of its buffers, or its
// argument when nothing changes. Both are valid until the request is decided.
type workspace struct {
	kept    []byte // candidates, and values of later rounds
	scratch []byte // intermediate results
	used    int    // candidate bytes of the request so far
}

// HexDigits are those of escapes in candidates.
const HexDigits = "0123456789ABCDEF"

// keep copies a text into the kept buffer.
func (w *workspace) keep(text []byte) []byte {
	start := len(w.kept)
	w.kept = append(w.kept, text...)
	return w.kept[start:len(w.kept):len(w.kept)]
}

// since returns what was appended to the scratch buffer from start on.
func (w *workspace) since(start int) []byte { return w.scratch[start:len(w.scratch):len(w.scratch)] }

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

// same reports whether a text was returned unchanged, without comparing its bytes.
func same(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func (w *workspace) keepText(text string) []byte {
	start := len(w.kept)
	w.kept = append(w.kept, text...)
	return w.kept[start:len(w.kept):len(w.kept)]
}

// spaced keeps a copy with a space for each plus, as in forms.
func (w *workspace) spaced(text string) []byte { return withSpaces(w.keepText(text)) }

// withSpaces puts a space in the place of each plus.
func withSpaces(text []byte) []byte {
	for i := next(text, 0, '+'); i >= 0; i = next(text, i, '+') {
		text[i] = ' '
	}
	return text
}
