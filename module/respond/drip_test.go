package respond

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// lateConn simulates the connection of a process that was stopped for a time: a read times out only after the end.
type lateConn struct {
	net.Conn
	end  time.Time
	sent strings.Builder
}

func (c *lateConn) Read([]byte) (int, error) {
	time.Sleep(time.Until(c.end) + time.Millisecond)
	return 0, os.ErrDeadlineExceeded
}

func (c *lateConn) Write(p []byte) (int, error)      { return c.sent.Write(p) }
func (c *lateConn) Close() error                     { return nil }
func (c *lateConn) SetReadDeadline(time.Time) error  { return nil }
func (c *lateConn) SetWriteDeadline(time.Time) error { return nil }

// After its time, a tarpit writes no further piece: that could block until the deadline, and the response would be incomplete.
func TestATarpitThatWakesAfterItsEndOnlyEnds(t *testing.T) {
	conn := &lateConn{end: time.Now().Add(10 * time.Millisecond)}
	d := &drip{conn: conn, piece: []byte("piece"), last: []byte("last"), delay: time.Millisecond, stopping: context.Background()}
	hasLeft := false
	d.run(conn.end, func() { hasLeft = true })
	if got := conn.sent.String(); got != "last" || !hasLeft {
		t.Errorf("sent %q, left: %v", got, hasLeft)
	}
}
