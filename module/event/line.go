package event

import (
	"fmt"
	"sort"
	"strings"

	"github.com/request-guard/guard/limits"
)

// Line renders the event as one line of JSON, newline included, in at most limits.EventBytes bytes of printable ASCII. Other bytes
// become % and two hex digits. If the line would be longer, the longest values are cut to a common length. The candidate keeps the
// part around the match. Compiled functions process the bytes, because Traefik interprets this package.
func (e *Event) Line(gateway string) []byte {
	format, values := e.format(), e.values(gateway)
	escaped := make([]any, len(values))
	for i, value := range values {
		escaped[i] = jsonEscaper.Replace(value)
	}
	line := fmt.Appendf(nil, format, escaped...)
	if len(line) <= limits.EventBytes {
		return line
	}
	cut := cutLength(escaped, len(line)-limits.EventBytes)
	for i, value := range values {
		place := 0
		if i == candidateIndex {
			place = e.Place
		}
		escaped[i] = cutEscaped(value, place, cut)
	}
	return fmt.Appendf(nil, format, escaped...)
}

// cutLength returns the largest escaped length to which values can be cut so that the line becomes shorter by excess.
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

var jsonEscaper = strings.NewReplacer(escapePairs()...)

func escapePairs() []string {
	pairs := []string{`"`, `\"`, `\`, `\\`}
	for c := 0; c < 256; c++ {
		if c < 0x20 || c > 0x7E {
			pairs = append(pairs, string([]byte{byte(c)}), fmt.Sprintf("%%%02X", c))
		}
	}
	return pairs
}

// cutMark replaces the missing bytes of a cut value.
const cutMark = "..."

// cutEscaped returns the escaped part of s around place in at most cut bytes, without splitting an escape.
func cutEscaped(s string, place, cut int) string {
	if len(s) <= cut && len(jsonEscaper.Replace(s)) <= cut {
		return jsonEscaper.Replace(s)
	}
	start, room, before := keptStart(s, place, cut-2*len(cutMark)), cut-len(cutMark), ""
	if start > 0 {
		room, before = room-len(cutMark), cutMark
	}
	s = s[start:]
	fits := sort.Search(len(s), func(i int) bool { return len(jsonEscaper.Replace(s[:i+1])) > room })
	if fits == len(s) {
		return before + jsonEscaper.Replace(s)
	}
	return before + jsonEscaper.Replace(s[:fits]) + cutMark
}

// keptStart returns where the kept part begins: room/4 bytes before place, or earlier if everything from there on fits into room.
func keptStart(s string, place, room int) int {
	first := len(s) - room
	if first < 0 {
		first = 0
	}
	start := first + sort.Search(len(s)-first, func(i int) bool { return len(jsonEscaper.Replace(s[first+i:])) <= room })
	if start > place-room/4 {
		start = place - room/4
	}
	if start < 0 {
		return 0
	}
	return start
}
