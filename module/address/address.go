// Package address reads client addresses and networks. Every file, header and API uses the same strict grammar.
package address

import (
	"encoding/binary"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/request-guard/guard/limits"
)

// Parse accepts no leading zeros and no zone (RFC 4291 2.2). An IPv4-mapped address becomes IPv4, so a client has one address.
func Parse(text string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return netip.Addr{}, false
	}
	return a.Unmap(), true
}

var prefixLength = regexp.MustCompile(`^(?:0|[1-9][0-9]{0,2})$`)

const mappedBits = 96 // ::ffff:0:0/96

// ParseNetwork parses an address with or without prefix length. It masks host bits.
func ParseNetwork(text string) (netip.Prefix, bool) {
	host, length, hasLength := strings.Cut(text, "/")
	a, ok := Parse(host)
	if !ok {
		return netip.Prefix{}, false
	}
	if !hasLength {
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	if !prefixLength.MatchString(length) {
		return netip.Prefix{}, false
	}
	n, _ := strconv.Atoi(length)
	if a.Is4() && strings.Contains(host, ":") {
		n -= mappedBits
	}
	p, err := a.Prefix(n)
	return p, err == nil
}

var (
	bracketedAddress = regexp.MustCompile(`^\[([^\]]*)\](?::[0-9]{1,5})?$`)
	addressWithPort  = regexp.MustCompile(`^([0-9.]+):[0-9]{1,5}$`)
)

// ParseForwarded parses an entry of X-Forwarded-For: address, IPv4:port, [address] or [address]:port.
func ParseForwarded(entry string) (netip.Addr, bool) {
	match := bracketedAddress.FindStringSubmatch(entry)
	if match == nil {
		match = addressWithPort.FindStringSubmatch(entry)
	}
	if match != nil {
		return Parse(match[1])
	}
	return Parse(entry)
}

// ClientBits is the prefix length of the IPv6 network of one client (RFC 6177).
const ClientBits = 64

// NetworkOf returns the text that identifies a client: its address for IPv4 and NAT64, otherwise its IPv6 network with
// a prefix of this many bits. It returns a text that is not an address unchanged.
func NetworkOf(client string, bits int) string {
	a, ok := Parse(client)
	if !ok {
		return client
	}
	if a.Is4() || isTranslated(a) {
		return a.String()
	}
	return netip.PrefixFrom(a, bits).Masked().String()
}

// isTranslated reports whether an IPv6 address contains the IPv4 address of a client behind a translator (NAT64).
func isTranslated(a netip.Addr) bool {
	b := a.As16()
	return binary.BigEndian.Uint32(b[:]) == limits.TranslatedBits
}
