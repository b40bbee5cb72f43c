package engine

import "strings"

// HostName is a Host header without its port, for Request.Host.
func HostName(host string) string {
	colon := strings.LastIndexByte(host, ':')
	if colon < 0 || strings.HasSuffix(host, "]") {
		return host
	}
	return host[:colon]
}
