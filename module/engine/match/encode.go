//go:build gc
// +build gc

package match

import "strings"

// Encode returns the tables of a pattern as text for NewEncoded. It returns "" for a pattern that tables alone cannot decide.
//
// For each table the text has its width, 1 if it reads texts from their end, the class of each printable character, the number of
// rows, and the number of the row in which texts start. Then follow the rows as decoder.row reads them, without deadRow and
// acceptedRow. Rows are numbered in the order in which entries lead to them. An entry is its distance to the lowest number that no
// earlier entry has, so it is 0 for a new row.
func (m *Matcher) Encode() string {
	if !m.exact {
		return ""
	}
	e := &encoder{}
	for _, t := range m.tables {
		e.table(t)
	}
	return e.text.String()
}

type encoder struct{ text strings.Builder }

func (e *encoder) number(n int) {
	for ; n >= moreDigits; n >>= digitBits {
		e.text.WriteByte(byte(firstByte + moreDigits + n&(moreDigits-1)))
	}
	e.text.WriteByte(byte(firstByte + n))
}

func (e *encoder) table(t *table) {
	e.number(t.width)
	backward := 0
	if t.backward {
		backward = 1
	}
	e.number(backward)
	for i := range alphabet {
		e.number(int(t.class[firstByte+i]))
	}
	rows, ends := t.distinctRows()
	e.number(len(rows))
	start := min(int(t.start)/t.width, acceptedRow+1)
	e.number(start)
	found := max(start, acceptedRow) + 1
	for i := acceptedRow + 1; i < len(rows); i++ {
		found = e.row(rows, i, ends[i], found)
	}
}

// row writes a row as decoder.row reads it.
func (e *encoder) row(rows [][]int, row int, ends bool, found int) int {
	similar, count := mostSimilar(rows, row)
	e.number(row - similar)
	count <<= 1
	if ends {
		count |= 1
	}
	e.number(count)
	last := 0
	for class, next := range rows[row] {
		if next == rows[similar][class] {
			continue
		}
		e.number(class - last)
		e.number(found - next)
		last = class
		if next == found {
			found++
		}
	}
	return found
}

// mostSimilar returns the earlier row with the fewest entries that differ, and their number.
func mostSimilar(rows [][]int, row int) (similar, differing int) {
	differing = len(rows[row]) + 1
	for i := row - 1; i >= 0; i-- {
		count := 0
		for class := 0; class < len(rows[row]) && count < differing; class++ {
			if rows[i][class] != rows[row][class] {
				count++
			}
		}
		if count < differing {
			similar, differing = i, count
		}
	}
	return similar, differing
}

// distinctRows returns the rows of a table, with row numbers for entries, and whether a text that ends in them matches. It
// merges rows that no text distinguishes, and numbers the rows in the order in which entries lead to them.
func (t *table) distinctRows() (rows [][]int, ends []bool) {
	groups := t.groups()
	numbers := map[int]int{groups[deadRow]: deadRow, groups[acceptedRow]: acceptedRow}
	members := []int{deadRow, acceptedRow} // a row of each group
	numberOf := func(row int) int {
		number, isKnown := numbers[groups[row]]
		if !isKnown {
			number = len(members)
			numbers[groups[row]] = number
			members = append(members, row)
		}
		return number
	}
	numberOf(int(t.start) / t.width)
	for i := 0; i < len(members); i++ {
		entries := t.next[members[i]*t.width : (members[i]+1)*t.width]
		row := make([]int, t.width)
		for class := range row {
			if i > acceptedRow {
				row[class] = numberOf(int(entries[class]) / t.width)
			}
		}
		rows = append(rows, row)
		ends = append(ends, t.ends[members[i]])
	}
	return rows, ends
}

// groups gives rows that no text distinguishes the same number (Moore, 1956): it splits groups whose rows lead to different
// groups until there are none.
func (t *table) groups() []int {
	groups := make([]int, len(t.ends))
	for count := 0; ; {
		numbers := map[string]int{}
		split := make([]int, len(groups))
		for row := range groups {
			key := t.groupKey(row, groups)
			if _, isKnown := numbers[key]; !isKnown {
				numbers[key] = len(numbers)
			}
			split[row] = numbers[key]
		}
		groups = split
		if len(numbers) == count {
			return groups
		}
		count = len(numbers)
	}
}

// groupKey returns the group of a row, what a text that ends there means, and the groups that its entries lead to.
func (t *table) groupKey(row int, groups []int) string {
	key := []byte{byte(min(row, acceptedRow+1))}
	if t.ends[row] {
		key = append(key, 'e')
	}
	key = append(key, byte(groups[row]), byte(groups[row]>>8))
	for _, next := range t.next[row*t.width : (row+1)*t.width] {
		group := groups[int(next)/t.width]
		key = append(key, byte(group), byte(group>>8))
	}
	return string(key)
}
