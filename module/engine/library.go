package engine

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// The steps from a value to its readings (fold, decode, path, segments), each made of a few calls of the standard
// library. They are for interpreted programs, where a loop over bytes costs about 100 times as much, and the client
// chooses the bytes. Traefik's interpreter initializes variables file by file: a variable here must not depend on one
// of a later file.

// replacing makes a replacer of single bytes.
func replacing(isMeant func(c byte) bool, replacement func(c byte) string) *strings.Replacer {
	return strings.NewReplacer(bytePairs(isMeant, replacement)...)
}

// bytePairs are the arguments of such a replacer.
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

func percentForm(c byte) string {
	return string([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
}

var (
	textEscapes     = replacing(isUnprintable, percentForm)
	textControls    = replacing(isControl, nothing)
	textHighBytes   = replacing(isHigh, nothing)
	textOddities    = strings.NewReplacer(oddities()...)
	textMarks       = replacing(isMark, nothing)
	textShapes      = strings.NewReplacer(`\`, "", "//", "", "/.", "", "./", "", " /", "", ";", "", ":$", "")
	textFolds       = strings.NewReplacer(folds()...)
	textPercents    = strings.NewReplacer(percents("")...)
	textParameters  = regexp.MustCompile(`;[^/]*`)
	textStreams     = regexp.MustCompile(`(::\$[^/]*)|([^/]+?)::\$[^/]*|(:\$[^/]*)|([^/]+?):\$[^/]*|([^/]+)`)
	textTails       = regexp.MustCompile(`([^/. ])[. ]+(/|$)`)
	textWide        = regexp.MustCompile(`%[uU]((?:[0-9A-Ca-cE-Fe-f][0-9A-Fa-f]|[Dd][0-7])[0-9A-Fa-f]{2})`)
	quotedBytes     = replacing(isQuoted, quotedForm)
	quotedPercents  = strings.NewReplacer(percents(`\x`)...)
	emptySegments   = strings.NewReplacer("\x00\x01", "", "\x00\x02", "\x00")
	emptySegment    = "/\x00\x01/"
	escapedNullByte = "\x00\x02"
)

// oddities are what isPlain looks for in a value, except for its end.
func oddities() []string {
	return append([]string{"//", "", "/.", "", "./", "", " /", ""}, bytePairs(isSpecial, nothing)...)
}

// isMark reports the bytes that folding, cutting and the removal of control characters act on.
func isMark(c byte) bool { return isUnprintable(c) || c == '?' || c == '#' }

// hasEnd reports whether a text ends in a byte that Windows removes.
func hasEnd(text string) bool { return strings.HasSuffix(text, ".") || strings.HasSuffix(text, " ") }

// isPlainText is isPlain for a string.
func isPlainText(text string) bool {
	return len(textOddities.Replace(text)) == len(text) && !hasEnd(text)
}

// percents are all escapes of a byte, each with the byte or, where prefix is not empty, with prefix and the digits.
func percents(prefix string) []string {
	const digits = "0123456789abcdefABCDEF"
	var pairs []string
	for i := 0; i < len(digits); i++ {
		for k := 0; k < len(digits); k++ {
			to := prefix + string([]byte{digits[i], digits[k]})
			if prefix == "" {
				to = string([]byte{unhex(digits[i])<<4 | unhex(digits[k])})
			}
			pairs = append(pairs, "%"+string([]byte{digits[i], digits[k]}), to)
		}
	}
	return pairs
}

// decodeText is decode for a string.
func decodeText(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	if !textWide.MatchString(s) {
		return textPercents.Replace(s)
	}
	quoted := textWide.ReplaceAllString(quotedBytes.Replace(s), `\u$1`)
	return unquoted(quotedPercents.Replace(quoted))
}

// quotedBytes and quotedPercents make the body of a Go string literal.
func isQuoted(c byte) bool { return isUnprintable(c) || c == '"' || c == '\\' }

func quotedForm(c byte) string {
	return string([]byte{'\\', 'x', hexDigits[c>>4], hexDigits[c&15]})
}

func unquoted(s string) string {
	text, err := strconv.Unquote(`"` + s + `"`)
	if err != nil {
		panic(err) // s was written by decodeText
	}
	return text
}

// folds are all sequences that folded folds, with their results.
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
	for r := rune(0xFF01); r <= 0xFF5E; r++ {
		sequences = append(sequences, string(r))
	}
	for _, r := range []rune{0x2044, 0x2215, 0x29F8, 0xEFC8, 0x2216, 0x29F5, 0xFE68, 0xF025, 0x2024, 0x2025, 0x2026} {
		sequences = append(sequences, string(r))
	}
	var pairs []string
	for _, sequence := range sequences {
		if text, width := folded([]byte(sequence)); width > 0 {
			pairs = append(pairs, sequence, text)
		}
	}
	return pairs
}

// foldText is fold. It leaves a text unchanged where folding is not plausible.
func foldText(s string) string {
	f := textFolds.Replace(s)
	isASCIIText := len(textHighBytes.Replace(f)) == len(f)
	if isASCIIText || strings.Contains(f, "../") || strings.Contains(f, `..\`) || strings.Contains(f, "/..") || strings.Contains(f, `\..`) {
		return f
	}
	return s
}

func cutText(s string) string {
	if i := strings.IndexAny(s, "\x00?#"); i >= 0 {
		return s[:i]
	}
	return s
}

func collapseText(s string) string {
	for strings.Contains(s, "//") {
		s = strings.ReplaceAll(s, "//", "/")
	}
	return s
}

// dotsText is dots. path.Clean resolves segments as RFC 3986 does, except for empty ones and the last slash; empty
// ones get a temporary name.
func dotsText(s string) string {
	if !strings.HasPrefix(s, "/") || !strings.Contains(s, "/.") {
		return s
	}
	hasEmpty := strings.Contains(s, "//")
	if hasEmpty {
		s = strings.ReplaceAll(s, "\x00", escapedNullByte)
		s = strings.ReplaceAll(s, "//", emptySegment)
		s = strings.ReplaceAll(s, "//", emptySegment) // the first pass skips every second slash of a run
	}
	clean := path.Clean(s)
	if clean != "/" && (strings.HasSuffix(s, "/") || strings.HasSuffix(s, "/.") || strings.HasSuffix(s, "/..")) {
		clean += "/"
	}
	if hasEmpty {
		return emptySegments.Replace(clean)
	}
	return clean
}

func withoutParametersText(s string) string {
	if !strings.Contains(s, ";") {
		return s
	}
	return textParameters.ReplaceAllLiteralString(s, "")
}

func windowsText(s string) string {
	if strings.Contains(s, ":$") {
		s = textStreams.ReplaceAllString(s, "${1}${2}${3}${4}${5}")
	}
	if strings.Contains(s, "./") || strings.Contains(s, " /") || hasEnd(s) {
		s = textTails.ReplaceAllString(s, "${1}${2}")
	}
	return s
}
