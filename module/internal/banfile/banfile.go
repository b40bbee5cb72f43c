// Package banfile writes ban lists for tests, as contract/policy/ban-list.ts defines them.
package banfile

import (
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"net/netip"
	"strings"

	"github.com/request-guard/guard/limits"
)

// Range is banned until a time in seconds since 1970.
type Range struct {
	Start, End string
	Until      int64
}

func digitsOf(address string) string {
	bytes := netip.MustParseAddr(address).As16()
	return hex.EncodeToString(bytes[:])
}

func Lines(ranges ...Range) string {
	var body strings.Builder
	for _, r := range ranges {
		fmt.Fprintf(&body, "%s\n%s %08x\n", digitsOf(r.Start), digitsOf(r.End), r.Until)
	}
	return body.String()
}

// Text returns the file of sorted ranges.
func Text(written int64, ranges ...Range) string {
	return Sealed(fmt.Sprintf("guard-bans 1 %08x\n", written), Lines(ranges...), len(ranges))
}

// Sealed returns the file of a first line and of ranges, with a correct last line.
func Sealed(first, body string, count int) string {
	blockBytes := limits.BanListBlock * len(Lines(Range{"::", "::", 0}))
	sum := first
	for rest := body; ; {
		block := rest[:min(len(rest), blockBytes)]
		sum = fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(sum+block)))
		if rest = rest[len(block):]; rest == "" {
			return first + body + fmt.Sprintf("end %08x %s\n", count, sum)
		}
	}
}
