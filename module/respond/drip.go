package respond

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/request-guard/guard/background"
)

// drip is a tarpit on a detached connection. This saves the buffers and the deep stack that a server keeps for each request in
// service.
type drip struct {
	conn          net.Conn
	piece         []byte // bytes sent each time
	last          []byte // bytes sent at the end
	delay         time.Duration
	stopping      context.Context
	hasUnreadData bool // the client sent more data, which is not read; then only a failed write shows that it disconnected
}

// dripDetached detaches the connection of a response whose head was sent. A goroutine then sends the drip and calls h.leave at its
// end. It returns false if the response is encoded, or if the server does not release the connection, as on HTTP/2.
func (o *options) dripDetached(h *hold, r *http.Request, delay time.Duration, end time.Time) bool {
	if r.ProtoMajor != 1 || h.w.Header().Get("Content-Encoding") != "" {
		return false
	}
	conn, _, err := h.control.Hijack()
	if err != nil {
		return false
	}
	d := &drip{conn: conn, piece: []byte(tarpitByte), delay: delay, stopping: o.host.Stopping}
	if r.ProtoAtLeast(1, 1) { // chunked encoding, RFC 9112 7.1
		d.piece = []byte("1\r\n" + tarpitByte + "\r\n")
		d.last = []byte("0\r\n\r\n")
	}
	if d.stopping == nil {
		d.stopping = context.Background()
	}
	leave := h.leave
	h.leave = func() {}
	background.Go(func() { d.run(end, leave) })
	return true
}

// lastWriteTime bounds the last write, after the time is over or the host stops.
const lastWriteTime = time.Second

func (d *drip) run(end time.Time, leave func()) {
	defer leave()
	defer d.conn.Close()
	_ = d.conn.SetWriteDeadline(end.Add(lastWriteTime))
	//guard:compiled Traefik gives no Stopping.
	forget := context.AfterFunc(d.stopping, func() {
		_ = d.conn.SetReadDeadline(pastDeadline)
		_ = d.conn.SetWriteDeadline(time.Now().Add(lastWriteTime))
	})
	defer forget()
	for d.awaitNextPiece(end) {
		if _, err := d.conn.Write(d.piece); err != nil {
			return
		}
	}
	_ = d.conn.SetWriteDeadline(time.Now().Add(lastWriteTime))
	_, _ = d.conn.Write(d.last) // ignore the error: the client may have disconnected
}

// awaitNextPiece waits until the next piece is due. It returns false if the time is over, the host stops or the client
// disconnected.
func (d *drip) awaitNextPiece(end time.Time) bool {
	until := time.Now().Add(d.delay)
	isOver := until.After(end)
	if isOver {
		until = end
	}
	if d.hasUnreadData {
		d.sleep(time.Until(until))
	} else if !d.waitUntil(until) {
		return false
	}
	return !isOver && time.Now().Before(end) && d.stopping.Err() == nil
}

// waitUntil waits until a time. It returns false early when the client disconnects or the host stops.
func (d *drip) waitUntil(until time.Time) bool {
	_ = d.conn.SetReadDeadline(until)
	if d.stopping.Err() != nil {
		return false
	}
	var one [1]byte
	n, err := d.conn.Read(one[:])
	if n > 0 {
		d.hasUnreadData = true
		d.sleep(time.Until(until))
		return true
	}
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

func (d *drip) sleep(delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-d.stopping.Done():
	}
}
