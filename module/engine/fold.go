package engine

import "bytes"

// fold replaces overlong UTF-8 of ASCII characters, and characters that servers convert to ASCII, by those ASCII characters.
func (w *workspace) fold(s []byte) []byte {
	start, copied := len(w.scratch), 0
	for i := 0; i < len(s); {
		if s[i] < 0xC0 {
			i++
			continue
		}
		text, width := FoldSequence(s[i:])
		if width == 0 {
			i++
			continue
		}
		w.write(s[copied:i])
		w.scratch = append(w.scratch, text...)
		i += width
		copied = i
	}
	if copied == 0 {
		return s
	}
	w.write(s[copied:])
	return w.scratchFrom(start)
}

// asciiCharacters has all ASCII characters in order. character returns a part of it, so that folding does not allocate.
var asciiCharacters = func() string {
	text := make([]byte, 0x80)
	for c := range text {
		text[c] = byte(c)
	}
	return string(text)
}()

func character(c byte) string { return asciiCharacters[c : c+1] }

// FoldSequence returns the ASCII text that the sequence at the start of s folds to, and the number of bytes of the
// sequence. It returns 0 bytes if the start of s does not fold.
func FoldSequence(s []byte) (text string, width int) {
	switch lead := s[0]; {
	case lead <= 0xC1:
		return foldPair(s)
	case 0xE1 <= lead && lead < 0xF0:
		return foldLookAlike(s)
	}
	return foldOverlong(s, overlongWidths[s[0]])
}

var overlongWidths = [256]int{0xE0: 3, 0xF0: 4, 0xF8: 5, 0xFC: 6}

// foldPair folds C0 or C1 and a second byte. Where the second is not a continuation byte, it folds only to . / or \: one decoder
// drops the two high bits of that byte, another reads it verbatim after an error.
func foldPair(s []byte) (text string, width int) {
	if len(s) < 2 {
		return "", 0
	}
	c := (s[0]&1)<<6 | s[1]&0x3F
	switch {
	case isContinuation(s[1]) || isSeparator(c):
		return character(c), 2
	case isSeparator(s[1]):
		return character(s[1]), 2
	}
	return "", 0
}

// foldOverlong folds an overlong sequence of width bytes whose value is below 0x80.
func foldOverlong(s []byte, width int) (text string, length int) {
	if width == 0 || len(s) < width {
		return "", 0
	}
	for _, c := range s[1 : width-2] {
		if c != 0x80 {
			return "", 0
		}
	}
	high, low := s[width-2], s[width-1]
	if high&^1 != 0x80 || !isContinuation(low) {
		return "", 0
	}
	return character((high&1)<<6 | low&0x3F), width
}

// lookAlikeRanges are full-width forms, and circled digits and letters, with the ASCII characters that they fold to.
var lookAlikeRanges = []struct {
	first, last rune
	to          byte // the first folds to this character, the others to the following ones
}{
	{0xFF01, 0xFF5E, '!'},
	{0x2460, 0x2468, '1'},
	{0x24B6, 0x24CF, 'A'},
	{0x24D0, 0x24E9, 'a'},
}

// lookAlikes are other characters that servers convert to ASCII, or normalize in host names (Unicode TR 46).
var lookAlikes = map[rune]string{
	0x2044: "/", 0x2215: "/", 0x29F8: "/", 0xEFC8: "/",
	0x2216: `\`, 0x29F5: `\`, 0xFE68: `\`, 0xF025: `\`,
	0x2024: ".", 0x2025: "..", 0x2026: "...", 0x3002: ".", 0xFF61: ".", 0x24EA: "0",
}

func foldLookAlike(s []byte) (text string, width int) {
	if len(s) < 3 || !isContinuation(s[1]) || !isContinuation(s[2]) {
		return "", 0
	}
	r := rune(s[0]&0x0F)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)
	if 0x3002 < r && r < 0xEFC8 {
		return "", 0 // fast path: most Chinese and Japanese characters are in this range
	}
	for _, each := range lookAlikeRanges {
		if each.first <= r && r <= each.last {
			return character(each.to + byte(r-each.first)), 3
		}
	}
	if text = lookAlikes[r]; text != "" {
		return text, 3
	}
	return "", 0
}

// LookAlikes returns the characters that foldLookAlike folds.
func LookAlikes() []string {
	var all []string
	for _, each := range lookAlikeRanges {
		for r := each.first; r <= each.last; r++ {
			all = append(all, string(r))
		}
	}
	for r := range lookAlikes {
		all = append(all, string(r))
	}
	return all
}

func isContinuation(c byte) bool { return c&0xC0 == 0x80 }

func isSeparator(c byte) bool { return c == '.' || c == '/' || c == '\\' }

func (w *workspace) plausibleText(s []byte) []byte {
	if f := w.fold(s); isPlausibleFold(f) {
		return f
	}
	return s
}

// isPlausibleFold reports whether a client can have intended a folded text: it is all ASCII, or climbs to a parent folder.
// Otherwise the bytes can be text in another character set: %C0%EE is a common surname in GBK.
func isPlausibleFold(f []byte) bool {
	return isASCII(f) || bytes.Contains(f, []byte("../")) || bytes.Contains(f, []byte(`..\`)) ||
		bytes.Contains(f, []byte("/..")) || bytes.Contains(f, []byte(`\..`))
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= 0x80 {
			return false
		}
	}
	return true
}
