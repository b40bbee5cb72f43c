// Package nonblock opens files whose path may have become a pipe, whose opening waits for the other end.
package nonblock

import (
	"runtime"
	"strings"
)

// Flag returns O_NONBLOCK. It is a number here, because Traefik's interpreter has no package syscall.
func Flag() int {
	switch {
	case runtime.GOOS == "windows":
		return 0 // Windows has no pipes among its files
	case runtime.GOOS != "linux":
		return 0x4
	case strings.HasPrefix(runtime.GOARCH, "mips"):
		return 0x80
	}
	return 0x800
}
