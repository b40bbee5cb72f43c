package banlist

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"sort"
	"strings"
)

// Decoder checks the form and the order of the ranges in a part of the file. It writes them to rows, and appends them to d.
type Decoder func(d *decoded, rows, part []byte) error

// decoded has the ranges of one file in the form of a Table, and buffers for a part.
type decoded struct {
	count        int // of the ranges in the file
	narrow, wide strings.Builder
	rows         []byte
	last         []byte // the last row of the part before

	equalDigits, digits bytes.Buffer // of ByCalls
}

func newDecoded(count int) *decoded {
	return &decoded{count: count, rows: make([]byte, partRanges*rowBytes)}
}

// Each byte of these constants belongs to one of eight digits.
const (
	ones     = 0x0101010101010101
	lowBits  = 0x0f * ones
	highBits = 0xf0 * ones
)

// decodeDigits writes the bytes that text begins with to row, whose length is a multiple of four. It reports whether all their digits are
// lower-case hexadecimal digits. It decodes eight digits at a time.
func decodeDigits(row, text []byte) bool {
	isValid := true
	for ; len(row) > 0; row, text = row[4:], text[8:] {
		eight := binary.BigEndian.Uint64(text)
		letters := eight >> 6 & ones // 1 for 0x40 to 0x7f
		values := eight&lowBits + 9*letters
		areDigits := eight&highBits == 0x30*(ones+letters) // of 0x30 to 0x3f, or of 0x60 to 0x6f
		isValid = isValid && areDigits && values&highBits == 0 && (values+6*ones)&(0x10*ones) == letters<<4
		values = (values | values>>4) & 0x00ff00ff00ff00ff
		values = (values | values>>8) & 0x0000ffff0000ffff
		binary.BigEndian.PutUint32(row, uint32(values|values>>16))
	}
	return isValid
}

// The prefix of IPv4 addresses in rows, and its digits.
const (
	mapped       = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff"
	mappedDigits = "00000000000000000000ffff"
)

// Bytewise is the Decoder of compiled guards. It separates the ranges of IPv4, and takes a fifth of the time of ByCalls.
func Bytewise(d *decoded, rows, part []byte) error {
	if d.narrow.Cap() == 0 {
		d.narrow.Grow(d.count * (2*ipv4Bytes + untilBytes))
	}
	for from, to := 0, 0; from < len(part); from, to = from+rangeBytes, to+rowBytes {
		line, row := part[from:from+rangeBytes], rows[to:to+rowBytes]
		isNarrow := string(line[:len(mappedDigits)]) == mappedDigits && string(line[33:33+len(mappedDigits)]) == mappedDigits
		if line[32] != '\n' || line[65] != ' ' || line[74] != '\n' || !decodeRow(row, line, isNarrow) {
			return errForm
		}
		if bytes.Compare(row[:lastByte], row[lastByte:untilByte]) > 0 || to > 0 && !isBehind(rows[to-rowBytes:to], row) {
			return errOrder
		}
		if isNarrow {
			d.narrow.Write(row[mappedBytes:lastByte])
			d.narrow.Write(row[lastByte+mappedBytes:])
		} else {
			d.wide.Write(row)
		}
	}
	return nil
}

// decodeRow writes the digits of a line to row, and reports whether all are digits. It writes the prefix of IPv4 addresses at once.
func decodeRow(row, line []byte, isNarrow bool) bool {
	first := 0
	if isNarrow {
		first = copy(row, mapped)
		copy(row[lastByte:], mapped)
	}
	return decodeDigits(row[first:lastByte], line[2*first:]) && decodeDigits(row[lastByte+first:untilByte], line[33+2*first:]) &&
		decodeDigits(row[untilByte:], line[66:])
}

// isBehind reports whether the range in a row is behind the one in another row, without a common address.
func isBehind(before, row []byte) bool {
	return bytes.Compare(before[lastByte:untilByte], row[:lastByte]) < 0
}

var (
	zeroPart = []byte(strings.Repeat(zeroRange, partRanges))
	// zeros makes all digits equal, so that one comparison checks the form of a part.
	zeros = strings.NewReplacer("1", "0", "2", "0", "3", "0", "4", "0", "5", "0", "6", "0", "7", "0", "8", "0", "9", "0",
		"a", "0", "b", "0", "c", "0", "d", "0", "e", "0", "f", "0")
	separators = strings.NewReplacer("\n", "", " ", "")
)

// ByCalls is the Decoder of the plugin. Its statements are calls of the standard library, which Traefik has compiled.
func ByCalls(d *decoded, rows, part []byte) error {
	text := string(part)
	d.equalDigits.Reset()
	if _, err := zeros.WriteString(&d.equalDigits, text); err != nil {
		return err
	}
	if !bytes.Equal(d.equalDigits.Bytes(), zeroPart[:len(text)]) {
		return errForm
	}
	lines := strings.Split(text, "\n")
	if !sort.StringsAreSorted(lines[:len(lines)-1]) {
		return errOrder
	}
	d.digits.Reset()
	if _, err := separators.WriteString(&d.digits, text); err != nil {
		return err
	}
	if _, err := hex.Decode(rows, d.digits.Bytes()); err != nil {
		return err
	}
	if d.wide.Len() == 0 {
		d.wide.Grow(d.count * rowBytes)
	}
	d.wide.Write(rows)
	return nil
}
