package traefik

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/request-guard/guard/background"
)

// wire is the answer to an HTTP/1 request whose connection was taken over. Traefik gives a plugin no deadlines: only so does
// an answer that is held open end in time for a client that does not read it, and with a client that leaves.
type wire struct {
	conn      net.Conn
	header    http.Header
	isHead    bool
	isOld     bool // HTTP/1.0 knows no chunks
	isChunked bool
	hasBegun  bool
	err       error
	leave     context.CancelFunc
}

// grace is what a client gets for the end of an answer after its time.
const grace = time.Second

// takeOver gives the connection of a request for so long; nil: it cannot be had. The request is then r with a context that
// ends with the client, and what is left of its body is not for reading any more.
func takeOver(w http.ResponseWriter, r *http.Request, longest time.Duration) (*wire, *http.Request) {
	if r.ProtoMajor != 1 {
		return nil, r
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, r
	}
	_ = conn.SetDeadline(time.Now().Add(longest + grace))
	ctx, cancel := context.WithCancel(r.Context())
	background.Go(func() {
		_, _ = io.Copy(io.Discard, conn)
		cancel()
	})
	t := &wire{conn: conn, header: http.Header{}, isHead: r.Method == http.MethodHead, isOld: r.ProtoMinor == 0, leave: cancel}
	return t, r.WithContext(ctx)
}

func (t *wire) Header() http.Header { return t.header }

// WriteHeader sends the head of the answer, once; it ignores interim ones.
func (t *wire) WriteHeader(status int) {
	if t.hasBegun || status < http.StatusOK {
		return
	}
	t.hasBegun = true
	t.header.Set("Connection", "close")
	t.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	t.isChunked = !t.isOld && !t.isHead && t.header.Get("Content-Length") == ""
	if t.isChunked {
		t.header.Set("Transfer-Encoding", "chunked")
	}
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %03d %s\r\n", status, http.StatusText(status))
	_ = t.header.Write(&head) // a strings.Builder has no errors
	head.WriteString("\r\n")
	t.send(head.String())
}

// Write sends a part of the body at once.
func (t *wire) Write(p []byte) (int, error) {
	if !t.hasBegun {
		t.WriteHeader(http.StatusOK)
	}
	switch {
	case t.isHead || len(p) == 0:
	case t.isChunked:
		t.send(fmt.Sprintf("%x\r\n%s\r\n", len(p), p))
	default:
		t.send(string(p))
	}
	if t.err != nil {
		return 0, t.err
	}
	return len(p), nil
}

func (t *wire) send(text string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.conn, text)
	}
}

// end completes the answer and closes the connection.
func (t *wire) end() {
	if !t.hasBegun {
		t.WriteHeader(http.StatusOK)
	}
	if t.isChunked {
		t.send("0\r\n\r\n")
	}
	t.drop()
}

// drop closes the connection, wherever the answer is.
func (t *wire) drop() {
	_ = t.conn.Close()
	t.leave()
}
