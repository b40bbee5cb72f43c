package engine

import "strings"

// HostName is a Host without its port, as Request.Host is.
func HostName(host string) string {
	colon := strings.LastIndexByte(host, ':')
	if colon < 0 || strings.HasSuffix(host, "]") {
		return host
	}
	return host[:colon]
}
