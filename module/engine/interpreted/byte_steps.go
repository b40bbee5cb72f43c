package interpreted

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
)

// The steps that fold, decode, cut and escape values. A step acts on one value, or on several with line ends between them, so that one
// call acts on all values of a body. A value is a line of such a text: asLine writes the line ends in it as two other control
// characters. Traefik's interpreter initializes variables file by file: a variable here must not depend on one of a later file.

// asLine makes a line of a value. Nothing but the last step, escaped, distinguishes control characters, and no step
// acts on a part of such a pair.
var (
	asLine   = strings.NewReplacer("\n", "\v\v", "\v", "\v\f")
	fromLine = strings.NewReplacer("\v\v", "\n", "\v\f", "\v")
)

// bytePairs are the arguments of a replacer of single bytes.
func bytePairs(isMeant func(c byte) bool, replacement func(c byte) string) []string {
	var pairs []string
	for c := 0; c < 256; c++ {
		if isMeant(byte(c)) {
			pairs = append(pairs, string([]byte{byte(c)}), replacement(byte(c)))
		}
	}
	return pairs
}

func nothing(_ byte) string { return "" }

func isHigh(c byte) bool { return c >= 0x80 }

func isUnprintable(c byte) bool { return c < 0x20 || c > 0x7e }

func isEscaped(c byte) bool { return isUnprintable(c) && c != '\n' }

func isLineControl(c byte) bool { return engine.IsControl(c) && c != '\n' }

func percentForm(c byte) string {
	return string([]byte{'%', engine.HexDigits[c>>4], engine.HexDigits[c&15]})
}

var (
	asciiBytes     = bytesWithout(isHigh)
	unescapedBytes = bytesWithout(isEscaped)
	unmarkedBytes  = bytesWithout(isMark)
	escapedBytes   = strings.NewReplacer(append([]string{"\v\v", "%0A", "\v\f", "%0B"}, bytePairs(isEscaped, percentForm)...)...)
	controlBytes   = strings.NewReplacer(bytePairs(isLineControl, nothing)...)
	oddBytes       = strings.NewReplacer(oddities()...)
	foldedBytes    = strings.NewReplacer(folds()...)
	percentEscapes = strings.NewReplacer(percents("")...)
	cuts           = []*regexp.Regexp{regexp.MustCompile(`\x00[^\n]*`), regexp.MustCompile(`\?[^\n]*`), regexp.MustCompile(`#[^\n]*`)}
	wideLineEnds   = strings.NewReplacer(wides()...)
	wideEscape     = regexp.MustCompile(`%[uU]((?:[0-9A-Ca-cE-Fe-f][0-9A-Fa-f]|[Dd][0-7])[0-9A-Fa-f]{2})`)
	quotedBytes    = strings.NewReplacer(bytePairs(isQuoted, quotedForm)...)
	quotedPercents = strings.NewReplacer(percents(`\x`)...)
)

// oddities are what makes other readings of a value possible, except for its end.
func oddities() []string {
	return append([]string{"//", "", "/.", "", "./", "", " /", ""}, bytePairs(engine.IsSpecial, nothing)...)
}

// isMark reports the bytes that folding, cutting and the removal of control characters act on.
func isMark(c byte) bool { return isEscaped(c) || c == '?' || c == '#' }

// hasEnd reports whether a text ends in a byte that Windows removes.
func hasEnd(text string) bool { return strings.HasSuffix(text, ".") || strings.HasSuffix(text, " ") }

// hasEnds is hasEnd for lines.
func hasEnds(text string) bool {
	return hasEnd(text) || strings.Contains(text, ".\n") || strings.Contains(text, " \n")
}

// hasShapes reports whether a text has what a server may read in another form.
func hasShapes(text string) bool {
	return strings.Contains(text, `\`) || strings.Contains(text, "//") || strings.Contains(text, "/.") || strings.Contains(text, ";") ||
		strings.Contains(text, ":$") || strings.Contains(text, "./") || strings.Contains(text, " /") || hasEnds(text)
}

// escaped writes the bytes outside printable ASCII as % and two upper-case digits.
func escaped(s string) string {
	if hasOnly(s, unescapedBytes) {
		return s
	}
	return escapedBytes.Replace(s)
}

// hasOnly reports whether a text has no other bytes than some, which are ASCII.
func hasOnly(text, some string) bool { return strings.TrimLeft(text, some) == "" }

// bytesWithout returns all bytes for which a function is false.
func bytesWithout(isMeant func(c byte) bool) string {
	bytes := ""
	for c := 0; c < 256; c++ {
		if !isMeant(byte(c)) {
			bytes += string([]byte{byte(c)})
		}
	}
	return bytes
}

// isPlain reports whether every reading of a value is the value itself.
func isPlain(text string) bool {
	return len(oddBytes.Replace(text)) == len(text) && !hasEnd(text) && !base64Line.MatchString(text)
}

// percents are all escapes of a byte, each with the byte as a part of a line or, where prefix is not empty, with prefix
// and the digits.
func percents(prefix string) []string {
	const digits = "0123456789abcdefABCDEF"
	var pairs []string
	for i := 0; i < len(digits); i++ {
		for k := 0; k < len(digits); k++ {
			to := prefix + string([]byte{digits[i], digits[k]})
			if prefix == "" {
				to = asLine.Replace(string([]byte{engine.Unhex(digits[i])<<4 | engine.Unhex(digits[k])}))
			}
			pairs = append(pairs, "%"+string([]byte{digits[i], digits[k]}), to)
		}
	}
	return pairs
}

// wides are the escapes that quotedPercents and wideEscape would decode to line ends.
func wides() []string {
	var pairs []string
	for _, start := range []string{"%0", "%u000", "%U000"} {
		pairs = append(pairs, start+"a", "\v\v", start+"A", "\v\v", start+"b", "\v\f", start+"B", "\v\f")
	}
	return pairs
}

// decodedLines undoes one round of URL encoding.
func decodedLines(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	if !strings.Contains(s, "%u") && !strings.Contains(s, "%U") || !wideEscape.MatchString(s) {
		return percentEscapes.Replace(s)
	}
	quoted := wideEscape.ReplaceAllString(quotedBytes.Replace(wideLineEnds.Replace(s)), `\u$1`)
	return unquoted(quotedPercents.Replace(quoted))
}

// quotedBytes and quotedPercents make the body of a Go string literal.
func isQuoted(c byte) bool { return isUnprintable(c) || c == '"' || c == '\\' }

func quotedForm(c byte) string {
	return string([]byte{'\\', 'x', engine.HexDigits[c>>4], engine.HexDigits[c&15]})
}

func unquoted(s string) string {
	text, err := strconv.Unquote(`"` + s + `"`)
	if err != nil {
		panic(err) // s was written by decodedLines
	}
	return text
}

// folds are all sequences that the engine folds, with their results.
func folds() []string {
	var sequences []string
	for lead := 0xC0; lead <= 0xC1; lead++ {
		for c := 0; c < 256; c++ {
			sequences = append(sequences, string([]byte{byte(lead), byte(c)}))
		}
	}
	for _, start := range []string{"\xE0", "\xF0\x80", "\xF8\x80\x80", "\xFC\x80\x80\x80"} {
		for c := 0; c < 0x80; c++ {
			sequences = append(sequences, start+string([]byte{byte(0x80 | c>>6), byte(0x80 | c&0x3F)}))
		}
	}
	sequences = append(sequences, engine.LookAlikes()...)
	var pairs []string
	for _, sequence := range sequences {
		if text, width := engine.Folded([]byte(sequence)); width > 0 {
			pairs = append(pairs, sequence, asLine.Replace(text))
		}
	}
	return pairs
}

// foldedLines folds the lines in which that is plausible.
func foldedLines(s string) string {
	f := foldedBytes.Replace(s)
	if f == s || isPlausible(f) && !strings.Contains(s, match.LineEnd) {
		return f
	}
	lines, folded := strings.Split(s, match.LineEnd), strings.Split(f, match.LineEnd)
	for i, line := range lines {
		if folded[i] != line && isPlausible(folded[i]) {
			lines[i] = folded[i]
		}
	}
	return strings.Join(lines, match.LineEnd)
}

// isPlausible reports whether folding explains a line: the result is all ASCII, or it climbs.
func isPlausible(f string) bool {
	return hasOnly(f, asciiBytes) || strings.Contains(f, "../") || strings.Contains(f, `..\`) || strings.Contains(f, "/..") || strings.Contains(f, `\..`)
}

// cutLines ends each line at its first NUL, ? or #.
func cutLines(s string) string {
	if !strings.ContainsAny(s, "\x00?#") {
		return s
	}
	for _, cut := range cuts {
		s = cut.ReplaceAllLiteralString(s, "")
	}
	return s
}
