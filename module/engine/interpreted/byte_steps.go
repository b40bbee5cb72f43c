package interpreted

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
)

// Each line of a text is a value here, so that one call handles all values of a body. Traefik's interpreter initializes
// variables in the order of file names, so a variable here must not depend on a variable of a later file.

// lineEndEscaper replaces the line feeds and vertical tabs in a value by pairs of control characters, so that each value is one line.
// The last step, escaped, writes a pair as the escape of its byte. No step before it changes only one byte of a pair.
var (
	lineEndEscaper  = strings.NewReplacer("\n", "\v\v", "\v", "\v\f")
	lineEndRestorer = strings.NewReplacer("\v\v", "\n", "\v\f", "\v")
)

// bytePairs returns the arguments of a replacer for the bytes of which isMember is true.
func bytePairs(isMember func(c byte) bool, replacement func(c byte) string) []string {
	var pairs []string
	for c := 0; c < 256; c++ {
		if isMember(byte(c)) {
			pairs = append(pairs, string([]byte{byte(c)}), replacement(byte(c)))
		}
	}
	return pairs
}

func emptyReplacement(_ byte) string { return "" }

func isHigh(c byte) bool { return c >= 0x80 }

func isUnprintable(c byte) bool { return c < 0x20 || c > 0x7e }

func isEscaped(c byte) bool { return isUnprintable(c) && c != '\n' }

func isLineControl(c byte) bool { return engine.IsControl(c) && c != '\n' }

func percentForm(c byte) string {
	return string([]byte{'%', engine.HexDigits[c>>4], engine.HexDigits[c&15]})
}

var (
	asciiBytes           = bytesWithout(isHigh)
	unescapedBytes       = bytesWithout(isEscaped)
	unchangedBytes       = bytesWithout(isChangedByDecoding)
	escapedBytes         = strings.NewReplacer(append([]string{"\v\v", "%0A", "\v\f", "%0B"}, bytePairs(isEscaped, percentForm)...)...)
	controlBytes         = strings.NewReplacer(bytePairs(isLineControl, emptyReplacement)...)
	ambiguousTextRemover = strings.NewReplacer(ambiguousPairs()...)
	foldedBytes          = strings.NewReplacer(foldPairs()...)
	percentEscapes       = strings.NewReplacer(percentPairs("")...)
	cutExpressions       = []*regexp.Regexp{regexp.MustCompile(`\x00[^\n]*`), regexp.MustCompile(`\?[^\n]*`), regexp.MustCompile(`#[^\n]*`)}
	wideLineEnds         = strings.NewReplacer(lineEndPairs()...)
	wideEscape           = regexp.MustCompile(`%[uU]((?:[0-9A-Ca-cE-Fe-f][0-9A-Fa-f]|[Dd][0-7])[0-9A-Fa-f]{2})`)
	quotedBytes          = strings.NewReplacer(bytePairs(isQuoted, quotedForm)...)
	quotedPercents       = strings.NewReplacer(percentPairs(`\x`)...)
)

// ambiguousPairs returns the arguments of a replacer that removes texts. A value with one of these texts, or with a dot
// or a space at its end (endsInDotOrSpace), may have other readings.
func ambiguousPairs() []string {
	return append([]string{"//", "", "/.", "", "./", "", " /", ""}, bytePairs(engine.IsSpecial, emptyReplacement)...)
}

// isChangedByDecoding reports whether folding, cutting or the removal of control characters may change a text with this byte.
func isChangedByDecoding(c byte) bool { return isEscaped(c) || c == '?' || c == '#' }

// endsInDotOrSpace reports whether a text ends in a dot or a space. Windows removes them at the end of a name.
func endsInDotOrSpace(text string) bool {
	return strings.HasSuffix(text, ".") || strings.HasSuffix(text, " ")
}

func hasLineEndInDotOrSpace(text string) bool {
	return endsInDotOrSpace(text) || strings.Contains(text, ".\n") || strings.Contains(text, " \n")
}

func mayHaveForms(text string) bool {
	return strings.Contains(text, `\`) || strings.Contains(text, "//") || strings.Contains(text, "/.") || strings.Contains(text, ";") ||
		strings.Contains(text, ":$") || strings.Contains(text, "./") || strings.Contains(text, " /") || hasLineEndInDotOrSpace(text)
}

// escaped writes the bytes outside printable ASCII as % and two upper-case digits.
func escaped(s string) string {
	if hasOnly(s, unescapedBytes) {
		return s
	}
	return escapedBytes.Replace(s)
}

// escapedLine is like escaped for a text that no step has read before, in which line ends are not yet pairs.
func escapedLine(s string) string { return escaped(lineEndEscaper.Replace(s)) }

func hasOnly(text, bytes string) bool { return strings.TrimLeft(text, bytes) == "" }

func bytesWithout(isMember func(c byte) bool) string {
	bytes := ""
	for c := 0; c < 256; c++ {
		if !isMember(byte(c)) {
			bytes += string([]byte{byte(c)})
		}
	}
	return bytes
}

func isPlain(text string) bool {
	return len(ambiguousTextRemover.Replace(text)) == len(text) && !endsInDotOrSpace(text) && !base64Line.MatchString(text)
}

// percentPairs returns the arguments of a replacer that decodes %HH or, with a prefix, replaces the % by the prefix.
func percentPairs(prefix string) []string {
	const digits = "0123456789abcdefABCDEF"
	var pairs []string
	for i := 0; i < len(digits); i++ {
		for k := 0; k < len(digits); k++ {
			to := prefix + string([]byte{digits[i], digits[k]})
			if prefix == "" {
				to = lineEndEscaper.Replace(string([]byte{engine.Unhex(digits[i])<<4 | engine.Unhex(digits[k])}))
			}
			pairs = append(pairs, "%"+string([]byte{digits[i], digits[k]}), to)
		}
	}
	return pairs
}

// lineEndPairs returns the arguments of a replacer that decodes the escapes of line feeds and vertical tabs to the pairs of
// lineEndEscaper.
func lineEndPairs() []string {
	var pairs []string
	for _, start := range []string{"%0", "%u000", "%U000"} {
		pairs = append(pairs, start+"a", "\v\v", start+"A", "\v\v", start+"b", "\v\f", start+"B", "\v\f")
	}
	return pairs
}

// decodedLines decodes one round of URL escapes. For %uHHHH it writes a Go string literal, which strconv decodes.
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

func isQuoted(c byte) bool { return isUnprintable(c) || c == '"' || c == '\\' }

func quotedForm(c byte) string {
	return string([]byte{'\\', 'x', engine.HexDigits[c>>4], engine.HexDigits[c&15]})
}

func unquoted(s string) string {
	text, err := strconv.Unquote(`"` + s + `"`)
	if err != nil {
		panic(err) // decodedLines writes only valid literals
	}
	return text
}

// foldPairs returns the arguments of a replacer that folds the same sequences as engine.FoldSequence.
func foldPairs() []string {
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
		if text, width := engine.FoldSequence([]byte(sequence)); width > 0 {
			pairs = append(pairs, sequence, lineEndEscaper.Replace(text))
		}
	}
	return pairs
}

// foldedLines folds the lines whose folded text a client can have intended.
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

// isPlausible reports whether a client can have intended a folded text, as isPlausibleFold of package engine does.
func isPlausible(f string) bool {
	return hasOnly(f, asciiBytes) || strings.Contains(f, "../") || strings.Contains(f, `..\`) || strings.Contains(f, "/..") || strings.Contains(f, `\..`)
}

// trimmedLines trims the lines that have Unicode characters.
func trimmedLines(s string) string {
	if hasOnly(s, asciiBytes) {
		return s
	}
	lines := strings.Split(s, match.LineEnd)
	for i, line := range lines {
		if !hasOnly(line, asciiBytes) {
			lines[i] = strings.Trim(line, engine.Blanks)
		}
	}
	return strings.Join(lines, match.LineEnd)
}

// cutLines ends each line at its first NUL, ? or #.
func cutLines(s string) string {
	if !strings.ContainsAny(s, "\x00?#") {
		return s
	}
	for _, cut := range cutExpressions {
		s = cut.ReplaceAllLiteralString(s, "")
	}
	return s
}
