package respond

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// wire is a client of a real server that blocks every request. It sends and receives raw bytes.
type wire struct {
	t    *testing.T
	conn net.Conn
	read *bufio.Reader
}

const clientAddress = "192.0.2.7"

// patience is how long a test waits. Only a failing test waits this long.
const patience = 20 * time.Second

func connect(t *testing.T, answer Answer) *wire {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, &Blocked{Reason: "block_pattern_match", Path: r.URL.Path, Client: clientAddress})
	}))
	t.Cleanup(server.Close)
	return dial(t, server.Listener.Addr().String())
}

func dial(t *testing.T, address string) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &wire{t: t, conn: conn, read: bufio.NewReader(conn)}
}

func (w *wire) again() *wire { return dial(w.t, w.conn.RemoteAddr().String()) }

func (w *wire) send(raw string) {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, raw); err != nil {
		w.t.Fatal(err)
	}
}

// answer reads the response to a request with this method: its status, headers without Date, and body.
func (w *wire) answer(method string) (int, http.Header, string) {
	w.t.Helper()
	res, err := http.ReadResponse(w.read, &http.Request{Method: method})
	if err != nil {
		w.t.Fatal(err)
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(res.Body); err != nil {
		w.t.Fatal(err)
	}
	res.Header.Del("Date")
	return res.StatusCode, res.Header, body.String()
}

func (w *wire) request(method, target string) (int, http.Header, string) {
	w.t.Helper()
	w.send(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: example.com\r\n\r\n", method, target))
	return w.answer(method)
}

func (w *wire) begin(method, target string) *http.Response {
	w.t.Helper()
	w.send(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: example.com\r\n\r\n", method, target))
	return w.opening(method)
}

func (w *wire) opening(method string) *http.Response {
	w.t.Helper()
	_ = w.conn.SetReadDeadline(time.Now().Add(patience))
	res, err := http.ReadResponse(w.read, &http.Request{Method: method})
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

func all(t *testing.T, body io.Reader) []byte {
	t.Helper()
	got, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
