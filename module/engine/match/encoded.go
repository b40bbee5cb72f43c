package match

// This file reads the tables of built-in rules from generated text, because building them takes a hundred times as long.
// The text consists of numbers. encode.go writes it and describes their order.

// digitBits is the number of bits in a digit. The digits are the 64 characters from firstByte on. A digit of at least
// moreDigits is followed by a higher digit of the same number.
const (
	digitBits  = 5
	moreDigits = 1 << digitBits
)

type decoder struct {
	text string
	at   int
}

func (d *decoder) number() int {
	number := 0
	for shift := 0; ; shift += digitBits {
		digit := int(d.text[d.at]) - firstByte
		d.at++
		number |= (digit & (moreDigits - 1)) << shift
		if digit < moreDigits {
			return number
		}
	}
}

func decodeTables(text string) []*table {
	d := &decoder{text: text}
	var tables []*table
	for d.at < len(text) {
		tables = append(tables, d.table())
	}
	return tables
}

func (d *decoder) table() *table {
	t := &table{width: d.number()}
	t.backward = d.number() == 1
	for i := 0; i < alphabet; i++ {
		t.class[firstByte+i] = uint8(d.number())
	}
	rows, start := d.number(), d.number()
	t.start = uint16(start * t.width)
	t.next = make([]uint16, rows*t.width)
	t.ends = make([]bool, rows)
	t.ends[acceptedRow] = true
	found := start + 1
	if start <= acceptedRow {
		found = acceptedRow + 1
	}
	for row := acceptedRow + 1; row < rows; row++ {
		found = d.row(t, row, found)
	}
	return t
}

// row reads a row: the distance to a similar earlier row, the number of entries that differ, and these entries. found is
// the number of rows that earlier entries lead to. It returns found after this row.
func (d *decoder) row(t *table, row, found int) int {
	entries := t.next[row*t.width : (row+1)*t.width]
	copy(entries, t.next[(row-d.number())*t.width:])
	differing := d.number()
	t.ends[row] = differing&1 == 1
	class := 0
	for n := differing >> 1; n > 0; n-- {
		class += d.number()
		next := found - d.number()
		entries[class] = uint16(next * t.width)
		if next == found {
			found++
		}
	}
	return found
}
