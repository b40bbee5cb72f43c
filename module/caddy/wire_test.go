package guard

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"testing"
	"time"
)

// wire is a connection to a site that sends and receives raw bytes.
type wire struct {
	t    *testing.T
	conn net.Conn
	read *bufio.Reader
}

func (s *site) connect() *wire {
	s.t.Helper()
	w, err := s.dial()
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

func (s *site) dial() (*wire, error) {
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return nil, err
	}
	s.t.Cleanup(func() { conn.Close() })
	return &wire{t: s.t, conn: conn, read: bufio.NewReader(conn)}, nil
}

// reconnect connects to the server of a new configuration. It retries, because a connection in the queue of the
// previous server ends without a response.
func (s *site) reconnect() *wire {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		w, err := s.dial()
		if err != nil {
			continue
		}
		w.send("GET /reconnect HTTP/1.1\r\nHost: a\r\n\r\n")
		if _, err := w.read.Peek(1); err == nil {
			w.answer("GET")
			return w
		}
	}
	s.t.Fatal("no response after a reload")
	return nil
}

func (w *wire) send(raw string) {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, raw); err != nil {
		w.t.Fatal(err)
	}
}

// answer reads the next response, to a request with this method.
func (w *wire) answer(method string) (int, http.Header, string) {
	w.t.Helper()
	res, err := http.ReadResponse(w.read, &http.Request{Method: method})
	if err != nil {
		w.t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(body)
}

// get sends a GET with further header lines and reads status and body.
func (w *wire) get(target string, headers ...string) (int, string) {
	w.t.Helper()
	w.send(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: example.com\r\n", target))
	for _, header := range headers {
		w.send(header + "\r\n")
	}
	w.send("\r\n")
	status, _, body := w.answer("GET")
	return status, body
}

// referenceLine matches the line with the reference in the page of mode text.
var referenceLine = regexp.MustCompile("Reference: [0-9A-Z]{10}\n")

// expect sends a GET and compares status and body, without the line of the reference.
func (w *wire) expect(target string, status int, body string, headers ...string) {
	w.t.Helper()
	if gotStatus, gotBody := w.get(target, headers...); gotStatus != status || referenceLine.ReplaceAllString(gotBody, "") != body {
		w.t.Errorf("%s %v: got %d %q, want %d %q", target, headers, gotStatus, gotBody, status, body)
	}
}
