// Package banlist reads the file with banned addresses that tcp-guard writes. contract/policy/ban-list.ts has its form. Checks and
// searches are calls of the standard library, because Traefik's interpreter takes microseconds for a statement.
package banlist

import (
	"encoding/hex"
	"net/netip"
	"sort"
	"strconv"
	"time"

	"github.com/request-guard/guard/limits"
)

// Table has the ranges of one file. It is immutable.
type Table struct {
	// lines has the first address of each range, and behind it the last address with the end of the ban. It is sorted.
	lines   []string
	written int64  // seconds since 1970
	edges   string // the first and the last line of the file: they have its time, its count and its checksum
}

// Has reports whether a ban of a valid address is in force.
func (t *Table) Has(a netip.Addr) bool {
	address := a.As16()
	var digits [32]byte
	hex.Encode(digits[:], address[:])
	key := string(digits[:])
	i := sort.SearchStrings(t.lines, key)
	if i == len(t.lines) || i%2 == 0 && t.lines[i] != key {
		return false
	}
	return time.Now().Unix() < t.end(t.lines[i|1])
}

// end returns when a ban ends, from the last line of its range.
func (t *Table) end(line string) int64 {
	until, err := strconv.ParseInt(line[len(line)-numberDigits:], 16, 64)
	if err != nil || until > t.written+limits.BanListSeconds {
		return t.written + limits.BanListSeconds
	}
	return until
}

// Count returns the number of ranges.
func (t *Table) Count() int { return len(t.lines) / 2 }
