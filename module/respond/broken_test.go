package respond

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
)

func TestTheStatusIsTheCauseOfABrokenBody(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		err    error
		status int
	}{
		"malformed":      {context.Background(), io.ErrUnexpectedEOF, 400},
		"too large":      {context.Background(), fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 5}), 413},
		"too slow":       {context.Background(), &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, 408},
		"client reset":   {context.Background(), &net.OpError{Op: "read", Err: syscall.ECONNRESET}, 499},
		"client is gone": {gone, io.ErrUnexpectedEOF, 499},
	} {
		if status := BrokenBody(c.ctx, c.err); status != c.status {
			t.Errorf("%s: got %d", name, status)
		}
	}
}
