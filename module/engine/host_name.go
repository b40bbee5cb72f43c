package engine

import "strings"

const (
	digits    = "0123456789"
	nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + digits + "_.-"
)

// hostName is the name in a Host header or :authority, for exceptions: in lower case, without a port and without the
// final dot of the DNS root, which names the same host. Empty for everything that is not a name, such as an IPv6 address:
// servers read such hosts in different ways, so no exception applies to them.
func hostName(host string) string {
	name := host
	if before := strings.TrimRight(host, digits); strings.HasSuffix(before, ":") {
		name = before[:len(before)-1]
	}
	name = strings.TrimSuffix(name, ".")
	if strings.TrimLeft(name, nameBytes) != "" {
		return ""
	}
	return strings.ToLower(name)
}
