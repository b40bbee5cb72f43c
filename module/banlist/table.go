// Package banlist reads the file with banned addresses that tcp-guard writes. contract/policy/ban-list.ts has its form. Checks and
// searches are calls of the standard library, because Traefik's interpreter takes microseconds for a statement.
package banlist

import (
	"net/netip"
	"sort"
	"time"

	"github.com/request-guard/guard/limits"
)

// Table has the ranges of one file. It is immutable.
type Table struct {
	// ranges has a row for each range, sorted: its first address, its last address, and when the ban ends, all big-endian. It has half
	// of the bytes of the file.
	ranges  string
	starts  []string // the first address of every stepRanges-th row
	written int64    // seconds since 1970
	edges   string   // the first and the last line of the file: they have its time, its count and its checksum
}

const (
	addressBytes = 16
	lastByte     = addressBytes     // of a row, where its last address begins
	untilByte    = 2 * addressBytes // of a row, where the end of the ban begins
	rowBytes     = untilByte + 4
	stepRanges   = 16 // the rows that a search compares without a call
)

func newTable(ranges string, written int64, edges string) *Table {
	starts := make([]string, 0, len(ranges)/rowBytes/stepRanges+1)
	for at := 0; at < len(ranges); at += stepRanges * rowBytes {
		starts = append(starts, ranges[at:at+addressBytes])
	}
	return &Table{ranges: ranges, starts: starts, written: written, edges: edges}
}

// Has reports whether a ban of a valid address is in force.
func (t *Table) Has(a netip.Addr) bool {
	address := a.As16()
	key := string(address[:])
	step := sort.SearchStrings(t.starts, key)
	if step == len(t.starts) || t.starts[step] != key {
		step--
	}
	if step < 0 {
		return false
	}
	low, high := step*stepRanges, (step+1)*stepRanges
	if count := t.Count(); high > count {
		high = count
	}
	for high-low > 1 { // the row at low does not start after key
		middle := (low + high) / 2
		if t.ranges[middle*rowBytes:middle*rowBytes+addressBytes] <= key {
			low = middle
		} else {
			high = middle
		}
	}
	row := t.ranges[low*rowBytes : (low+1)*rowBytes]
	return key <= row[lastByte:untilByte] && time.Now().Unix() < t.end(row[untilByte:])
}

// end returns when a ban ends, from the four last bytes of its row.
func (t *Table) end(until string) int64 {
	seconds := int64(until[0])<<24 | int64(until[1])<<16 | int64(until[2])<<8 | int64(until[3])
	if last := t.written + limits.BanListSeconds; seconds > last {
		return last
	}
	return seconds
}

// Count returns the number of ranges.
func (t *Table) Count() int { return len(t.ranges) / rowBytes }
