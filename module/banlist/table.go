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
	narrow  rows   // ranges of IPv4 addresses, if the Decoder separates them: a third of the bytes
	wide    rows   // the others
	written int64  // seconds since 1970
	edges   string // the first and the last line of the file: they have its time, its count and its checksum
}

// rows has ranges in sorted rows of equal length: the first address, the last address, and when the ban ends, all big-endian.
type rows struct {
	text    string
	address int      // bytes of an address: 4 or 16
	starts  []string // the first address of every stepRanges-th row
}

const (
	ipv4Bytes    = 4
	addressBytes = 16
	mappedBytes  = addressBytes - ipv4Bytes // the prefix of ::ffff:0:0/96
	untilBytes   = 4
	lastByte     = addressBytes     // of a row of the file, where its last address begins
	untilByte    = 2 * addressBytes // of a row of the file, where the end of the ban begins
	rowBytes     = untilByte + untilBytes
	stepRanges   = 16 // the rows that a search compares without a call
)

func newRows(text string, address int) rows {
	r := rows{text: text, address: address}
	length := r.length()
	r.starts = make([]string, 0, len(text)/length/stepRanges+1)
	for at := 0; at < len(text); at += stepRanges * length {
		r.starts = append(r.starts, text[at:at+address])
	}
	return r
}

// length returns the bytes of a row.
func (r *rows) length() int { return 2*r.address + untilBytes }

func (r *rows) count() int { return len(r.text) / r.length() }

// until returns the end of the ban of an address in the form of a row, or "".
func (r *rows) until(key string) string {
	step := sort.SearchStrings(r.starts, key)
	if step == len(r.starts) || r.starts[step] != key {
		step--
	}
	if step < 0 {
		return ""
	}
	length := r.length()
	low, high := step*stepRanges, (step+1)*stepRanges
	if count := r.count(); high > count {
		high = count
	}
	for high-low > 1 { // the row at low does not start after key
		middle := (low + high) / 2
		if r.text[middle*length:middle*length+r.address] <= key {
			low = middle
		} else {
			high = middle
		}
	}
	row := r.text[low*length : (low+1)*length]
	if key > row[r.address:2*r.address] {
		return ""
	}
	return row[2*r.address:]
}

// Has reports whether a ban of a valid address is in force.
func (t *Table) Has(a netip.Addr) bool {
	until := ""
	if len(t.narrow.text) > 0 && (a.Is4() || a.Is4In6()) {
		address := a.As4()
		until = t.narrow.until(string(address[:]))
	}
	if until == "" && len(t.wide.text) > 0 {
		address := a.As16()
		until = t.wide.until(string(address[:]))
	}
	return until != "" && time.Now().Unix() < t.end(until)
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
func (t *Table) Count() int { return t.narrow.count() + t.wide.count() }
