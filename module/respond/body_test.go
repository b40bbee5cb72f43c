package respond

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// bodiless has requests whose body is not sent, or not completely.
var bodiless = map[string]string{
	"withheld":        "POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n",
	"withheld, large": "POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n",
	"half a chunk":    "POST /.env HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
	"asks before":     "POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
}

// inEveryMode has policies of several modes, each with a quick response, and the status of that response.
var inEveryMode = map[string]int{
	`{"mode":"json"}`: 403, `{"mode":"text"}`: 403, `{"mode":"redirect"}`: 302, `{"mode":"ratelimit"}`: 429, `{"mode":"fake_success"}`: 200,
	quickTarpit: 200, `{"mode":"gzip_bomb"}`: 200, `{"mode":"infinite_stream","stream_size_mb":1}`: 200,
}

func TestAWithheldBodyDelaysNoResponse(t *testing.T) {
	for response, status := range inEveryMode {
		answer, _ := heldSite(t, response)
		site := connect(t, answer)
		for name, request := range bodiless {
			t.Run(response+" "+name, func(t *testing.T) {
				client := site.again()
				client.send(request)
				began := time.Now()
				res := client.opening("POST")
				if res.StatusCode != status {
					t.Errorf("got %s", res.Status)
				}
				all(t, res.Body)
				if took := time.Since(began); took >= lingerTime && !strings.Contains(response, "tarpit") {
					t.Errorf("the response took %s", took)
				}
				client.conn.Close()
			})
		}
	}
}

// The remainder of an unfinished body must not become the next request of the connection.
func TestAConnectionWhoseBodyDoesNotEndCloses(t *testing.T) {
	answer, _ := heldSite(t, `{"mode":"text"}`)
	client := connect(t, answer)
	client.send("POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
	all(t, client.opening("POST").Body)
	client.send("GET /.env HTTP/1.1\r\nHost: a\r\n\r\n")
	_ = client.conn.SetReadDeadline(time.Now().Add(patience))
	if rest, err := io.ReadAll(client.read); len(rest) != 0 || isTimeout(err) {
		t.Errorf("got %q, %v", rest, err)
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

func TestAConnectionWithALateBodyIsReused(t *testing.T) {
	answer, _ := heldSite(t, `{"mode":"text"}`)
	client := connect(t, answer)
	for range 2 {
		client.send("POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
		all(t, client.opening("POST").Body)
		client.send("12345")
	}
	if status, _, _ := client.request("GET", "/.env"); status != 403 {
		t.Errorf("got %d", status)
	}
}

// If a server cannot respond before the body, the guard leaves reading the body to the server.
func TestABodyIsLeftToAServerThatReadsItFirst(t *testing.T) {
	body := strings.NewReader("abc")
	w := httptest.NewRecorder()
	build(t, `{"mode":"text"}`)(w, httptest.NewRequest("POST", "/.env", body), &Blocked{})
	if body.Len() != 3 || w.Code != http.StatusForbidden {
		t.Errorf("%d bytes are left, got %d", body.Len(), w.Code)
	}
}
