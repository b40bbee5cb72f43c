package guard

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

const bodies = `"methods": ["*"], "check_body": true, "max_body_bytes": 1000`

func post(contentType, body string) string {
	return fmt.Sprintf("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", contentType, len(body), body)
}

func TestBodiesAreInspected(t *testing.T) {
	client := start(t, bodies).connect()
	for _, c := range []struct {
		name, contentType, body string
		status                  int
	}{
		{"form", "application/x-www-form-urlencoded", "a=1&file=../../etc/passwd", 403},
		{"json", "application/json", `{"file":"../../etc/passwd"}`, 403},
		{"clean form", "application/x-www-form-urlencoded", "a=1&b=2", 200},
		{"other type", "application/octet-stream", "file=../../etc/passwd", 200},
		{"no type", "", "file=../../etc/passwd", 403},
		{"plain text", "text/plain", "file=../../etc/passwd", 403},
		{"behind the prefix", "application/x-www-form-urlencoded", "a=" + strings.Repeat("x", 1000) + "&file=../../etc/passwd", 200},
	} {
		client.send(post(c.contentType, c.body))
		status, _, body := client.answer("POST")
		if status != c.status || status == 200 && body != "POST /upload "+c.body {
			t.Errorf("%s: got %d %.60q", c.name, status, body)
		}
	}
}

func TestALongBodyArrivesUnchanged(t *testing.T) {
	client := start(t, bodies).connect()
	long := "a=" + strings.Repeat("0123456789", 200_000)
	client.send(post("application/x-www-form-urlencoded", long))
	if status, _, body := client.answer("POST"); status != 200 || body != "POST /upload "+long {
		t.Errorf("got %d and %d bytes", status, len(body))
	}
	client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n\"a\",\"\r\n3\r\nb\"\n\r\n0\r\n\r\n")
	if status, _, body := client.answer("POST"); status != 200 || body != "POST /upload \"a\",\"b\"\n" {
		t.Errorf("got %d %q", status, body)
	}
}

// When the path decides, the guard responds before it reads the body, so that a client cannot delay it.
func TestThePathDecidesBeforeTheBodyIsRead(t *testing.T) {
	read := false
	body := readFunc(func([]byte) (int, error) { read = true; return 0, io.EOF })
	g := provisioned(t, bodies)
	serve(t, g, request("POST", "/.env", "application/json", body))
	for _, stream := range []string{"application/grpc", "application/connect+json", "application/x-ndjson", "text/event-stream"} {
		serve(t, g, request("POST", "/upload", stream, body))
	}
	tunnel := request("CONNECT", "/upload", "", body)
	tunnel.ProtoMajor = 3
	tunnel.Proto = webSocket
	serve(t, g, tunnel)
	if read {
		t.Error("the body was read")
	}
	serve(t, g, request("POST", "/upload", "application/json", body))
	if !read {
		t.Error("the body was not read")
	}
}

func TestABodyOfWhichAPartIsNotInspectedIsBlocked(t *testing.T) {
	client := start(t, bodies+`, "body_overflow": "block"`).connect()
	for _, c := range []struct {
		name, contentType, body string
		status                  int
	}{
		{"as long as what is inspected", "application/x-www-form-urlencoded", "a=" + strings.Repeat("x", 998), 200},
		{"one byte longer", "application/x-www-form-urlencoded", "a=" + strings.Repeat("x", 999), 403},
		{"malformed", "application/json", "{'a'", 403},
		{"another type", "image/png", strings.Repeat("x", 2000), 200},
	} {
		client.send(post(c.contentType, c.body))
		if status, _, _ := client.answer("POST"); status != c.status {
			t.Errorf("%s: got %d", c.name, status)
		}
	}
}

// net/http sends 100 Continue when the body is first read.
func TestABodyBehindExpectIsInspected(t *testing.T) {
	client := start(t, bodies).connect()
	client.send(strings.Replace(post("", "a=/.env"), "\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n", 1))
	for _, want := range []int{100, 403} {
		if status, _, _ := client.answer("POST"); status != want {
			t.Errorf("got %d, want %d", status, want)
		}
	}
}

// net/http ignores chunks in HTTP/1.0: neither the guard nor the next handler gets a body.
func TestChunksInHTTP10AreNoBody(t *testing.T) {
	client := start(t, bodies).connect()
	client.send("POST /upload HTTP/1.0\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n\"/.env\"\r\n0\r\n\r\n")
	if status, _, body := client.answer("POST"); status != 200 || body != "POST /upload " {
		t.Errorf("got %d %q", status, body)
	}
}

// An earlier handler, such as request_body, can attach a status to the error of a body.
func TestABodyThatCannotBeReadIsRefused(t *testing.T) {
	for _, mode := range []string{"enforce", "detect"} {
		g := provisioned(t, bodies+`, "mode": "`+mode+`"`)
		for err, want := range map[error]int{
			io.ErrUnexpectedEOF:                        http.StatusBadRequest,
			&http.MaxBytesError{Limit: 1}:              http.StatusRequestEntityTooLarge,
			caddyhttp.Error(http.StatusTeapot, io.EOF): http.StatusTeapot,
		} {
			body := io.MultiReader(strings.NewReader("half"), readFunc(func([]byte) (int, error) { return 0, err }))
			w := httptest.NewRecorder()
			got := g.ServeHTTP(w, request("POST", "/", "application/json", body), passed)
			if got != nil || w.Code != want || w.Header().Get("Connection") != "close" {
				t.Errorf("%s, %v: got %v, %d", mode, err, got, w.Code)
			}
		}
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
