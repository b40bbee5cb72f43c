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

// wire writes the response on the hijacked HTTP/1 connection, because Traefik offers plugins no deadlines.
type wire struct {
	conn      net.Conn
	header    http.Header
	isHead    bool // the method is HEAD
	isOld     bool // HTTP/1.0, which has no chunks
	isChunked bool
	hasBegun  bool  // the head was sent, or is being sent
	err       error // error of the first failed write
	leave     context.CancelFunc
}

// endGrace is the time to send the end of a response after its deadline.
const endGrace = time.Second

// takeOver hijacks the connection of a request, for at most longest and endGrace. It returns nil if it cannot. The returned
// request is r with a context that ends when the client disconnects. The caller must not read its remaining body.
func takeOver(w http.ResponseWriter, r *http.Request, longest time.Duration) (*wire, *http.Request) {
	if r.ProtoMajor != 1 {
		return nil, r
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, r
	}
	_ = conn.SetDeadline(time.Now().Add(longest + endGrace))
	ctx, cancel := context.WithCancel(r.Context())
	background.Go(func() {
		_, _ = io.Copy(io.Discard, conn)
		cancel()
	})
	t := &wire{conn: conn, header: http.Header{}, isHead: r.Method == http.MethodHead, isOld: r.ProtoMinor == 0, leave: cancel}
	return t, r.WithContext(ctx)
}

func (t *wire) Header() http.Header { return t.header }

// WriteHeader sends the head of the response at the first call. It ignores interim responses.
func (t *wire) WriteHeader(status int) {
	if t.hasBegun || status < http.StatusOK {
		return
	}
	t.hasBegun = true
	t.header.Set("Connection", "close")
	t.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	isBodiless := t.isHead || status == http.StatusNoContent || status == http.StatusNotModified
	t.isChunked = !t.isOld && !isBodiless && t.header.Get("Content-Length") == ""
	if t.isChunked {
		t.header.Set("Transfer-Encoding", "chunked")
	}
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %03d %s\r\n", status, http.StatusText(status))
	_ = t.header.Write(&head) // a strings.Builder returns no errors
	head.WriteString("\r\n")
	t.send(head.String())
}

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

func (t *wire) end() {
	if !t.hasBegun {
		t.WriteHeader(http.StatusOK)
	}
	if t.isChunked {
		t.send("0\r\n\r\n")
	}
	t.drop()
}

// drop closes the connection without completing the response.
func (t *wire) drop() {
	_ = t.conn.Close()
	t.leave()
}

// drop closes an HTTP/1 connection without sending a byte. Traefik cannot reset a stream of HTTP/2 or HTTP/3, which gets a 403.
func drop(w http.ResponseWriter, _ *http.Request) {
	if t, ok := w.(*wire); ok {
		t.drop()
		return
	}
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusForbidden)
		return
	}
	_ = connection.Close()
}
