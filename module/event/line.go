package event

import (
	"fmt"
	"sort"
	"strings"

	"github.com/request-guard/guard/limits"
)

// Line renders the event as one line of JSON, newline included, in at most limits.EventBytes bytes.
// Strings are printable ASCII: every other byte of a value becomes % and two upper-case hex digits.
// When the line would be longer, the longest values lose their ends, all to the same length.
//
// Traefik interprets this package, so compiled functions handle all bytes: an interpreted loop over the bytes of an event
// costs more than the verdict.
func (e *Event) Line(gateway string) []byte {
	format, values := e.format(), e.values(gateway)
	escaped := make([]any, len(values))
	for i, value := range values {
		escaped[i] = escapes.Replace(value)
	}
	line := fmt.Appendf(nil, format, escaped...)
	if len(line) <= limits.EventBytes {
		return line
	}
	cut := cutLength(escaped, len(line)-limits.EventBytes)
	for i, value := range values {
		escaped[i] = cutEscaped(value, cut)
	}
	return fmt.Appendf(nil, format, escaped...)
}

// cutLength returns the largest written length at which values are cut so that the line gets shorter by excess.
func cutLength(escaped []any, excess int) int {
	room := -excess
	lengths := make([]int, len(escaped))
	for i, value := range escaped {
		text, _ := value.(string)
		lengths[i] = len(text)
		room += len(text)
	}
	sort.Ints(lengths)
	for i, n := range lengths {
		share := room / (len(lengths) - i)
		if n > share {
			return share
		}
		room -= n
	}
	return lengths[len(lengths)-1]
}

// escapes escapes a text for a JSON string.
var escapes = strings.NewReplacer(escapePairs()...)

func escapePairs() []string {
	pairs := []string{`"`, `\"`, `\`, `\\`}
	for c := 0; c < 256; c++ {
		if c < 0x20 || c > 0x7E {
			pairs = append(pairs, string([]byte{byte(c)}), fmt.Sprintf("%%%02X", c))
		}
	}
	return pairs
}

// cutEscaped returns the escaped part of s that fits into cut bytes, without splitting an escape.
func cutEscaped(s string, cut int) string {
	fits := sort.Search(len(s), func(i int) bool { return len(escapes.Replace(s[:i+1])) > cut })
	return escapes.Replace(s[:fits])
}
