package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// dialEcho returns one connection to a new backend.
func dialEcho(t *testing.T) net.Conn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	backend := newEcho()
	go serve(listener, backend.slots, backend.connection)
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func read(t *testing.T, r *bufio.Reader, method string) (*http.Response, string) {
	t.Helper()
	answer, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestEchoReturnsTheBytesOfTheRequest(t *testing.T) {
	cases := map[string]string{
		"odd target":     "GET /a/..%2f\\.env?\xe9 HTTP/1.1\r\nhOst: x\r\n\r\n",
		"with a body":    "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na\x00b",
		"chunked":        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n",
		"bare newlines":  "GET / HTTP/1.1\nHost: x\n\n",
		"repeated names": "GET / HTTP/1.1\r\nA: 1\r\na: 2\r\n\r\n",
	}
	conn := dialEcho(t)
	reader := bufio.NewReader(conn)
	for name, request := range cases { // one connection for all cases: it stays open
		t.Run(name, func(t *testing.T) {
			if _, err := io.WriteString(conn, request); err != nil {
				t.Fatal(err)
			}
			answer, body := read(t, reader, "GET")
			if answer.StatusCode != http.StatusOK || body != request {
				t.Fatalf("status %d, body %q", answer.StatusCode, body)
			}
		})
	}
}

func TestEchoReturnsPipelinedRequestsInOrder(t *testing.T) {
	conn := dialEcho(t)
	first, second := "GET /1 HTTP/1.1\r\n\r\n", "HEAD /2 HTTP/1.1\r\n\r\n"
	_, _ = io.WriteString(conn, first+second)
	reader := bufio.NewReader(conn)
	if _, body := read(t, reader, "GET"); body != first {
		t.Fatalf("first: %q", body)
	}
	if answer, body := read(t, reader, "HEAD"); body != "" || answer.ContentLength != int64(len(second)) {
		t.Fatalf("second: %q, length %d", body, answer.ContentLength)
	}
}

func TestEchoEndsTheConnectionWhenAsked(t *testing.T) {
	conn := dialEcho(t)
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
	reader := bufio.NewReader(conn)
	if answer, _ := read(t, reader, "GET"); !answer.Close {
		t.Fatal("the answer does not announce the end")
	}
	if rest, err := io.ReadAll(reader); len(rest) > 0 || err != nil {
		t.Fatalf("behind the answer: %q, %v", rest, err)
	}
}

func TestEchoContinues(t *testing.T) {
	conn := dialEcho(t)
	_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
	reader := bufio.NewReader(conn)
	if line, _ := reader.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("got %q", line)
	}
	_, _ = reader.ReadString('\n')
	_, _ = io.WriteString(conn, "x")
	if _, body := read(t, reader, "GET"); !strings.HasSuffix(body, "\r\n\r\nx") {
		t.Fatalf("body %q", body)
	}
}

func TestEchoRefuses(t *testing.T) {
	cases := map[string]struct {
		request string
		status  int
	}{
		"a long head":      {"GET / HTTP/1.1\r\n" + strings.Repeat("A: "+strings.Repeat("b", 1000)+"\r\n", headBytes/1000), 413},
		"a long line":      {"GET /" + strings.Repeat("a", lineBytes), 413},
		"a large body":     {"POST / HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 413},
		"a large chunk":    {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n", 413},
		"a bad length":     {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
		"a bad chunk size": {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			conn := dialEcho(t)
			_, _ = io.WriteString(conn, c.request)
			if answer, _ := read(t, bufio.NewReader(conn), "GET"); answer.StatusCode != c.status {
				t.Fatalf("status %d, want %d", answer.StatusCode, c.status)
			}
		})
	}
}
