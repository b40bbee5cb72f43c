package event

import (
	"sort"

	"github.com/request-guard/guard/limits"
)

// Line renders the event as one line of JSON, newline included, in at most limits.EventBytes bytes.
// Strings are printable ASCII: every other byte of a value becomes % and two upper-case hex digits.
// When the line would be longer, the longest values lose their ends, all to the same length.
func (e *Event) Line(gateway string) []byte {
	fields := e.fields(gateway)
	cut := cutLength(fields, limits.EventBytes)
	line := make([]byte, 0, limits.EventBytes)
	for i, f := range fields {
		if i == 0 {
			line = append(line, '{')
		} else {
			line = append(line, ',')
		}
		line = append(line, '"')
		line = append(line, f.name...)
		line = append(line, '"', ':')
		line = appendValue(line, f, cut)
	}
	return append(line, '}', '\n')
}

func appendValue(line []byte, f field, cut int) []byte {
	if f.bare {
		return append(line, f.value...)
	}
	line = append(line, '"')
	line = appendEscaped(line, f.value, cut)
	return append(line, '"')
}

// cutLength is the written length at which values are cut so that the line fits: the largest one that does.
func cutLength(fields []field, limit int) int {
	room := limit - len("}\n")
	lengths := make([]int, 0, len(fields))
	for _, f := range fields {
		room -= len(`,"":`) + len(f.name)
		if f.bare {
			room -= len(f.value)
			continue
		}
		room -= len(`""`)
		lengths = append(lengths, escapedLength(f.value))
	}
	sort.Ints(lengths)
	for i, n := range lengths {
		share := room / (len(lengths) - i)
		if n > share {
			return share
		}
		room -= n
	}
	return limit
}

const hex = "0123456789ABCDEF"

// appendEscaped appends what of s fits into cut bytes and never half of an escape.
func appendEscaped(line []byte, s string, cut int) []byte {
	for i := 0; i < len(s); i++ {
		cut -= width(s[i])
		if cut < 0 {
			break
		}
		switch width(s[i]) {
		case 1:
			line = append(line, s[i])
		case 2:
			line = append(line, '\\', s[i])
		default:
			line = append(line, '%', hex[s[i]>>4], hex[s[i]&15])
		}
	}
	return line
}

func escapedLength(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		n += width(s[i])
	}
	return n
}

// width is how many bytes c takes inside a JSON string of the line.
func width(c byte) int {
	switch {
	case c == '"' || c == '\\':
		return 2
	case c >= 0x20 && c <= 0x7E:
		return 1
	}
	return 3
}
