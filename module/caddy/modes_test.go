package guard

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/request-guard/guard/policy"
)

// answers has the response of each mode that is not in modesTestedSeparately to a blocked GET through Caddy: status, required
// headers, and the body or its start.
var answers = map[string]struct {
	response string
	status   int
	header   http.Header
	body     string
}{
	"json":         {`{"mode": "json"}`, 403, http.Header{"Content-Type": {"application/json"}}, `{"error":{"code":"block_pattern_match"`},
	"html":         {`{"mode": "html"}`, 403, http.Header{"Content-Type": {"text/html; charset=utf-8"}}, "<!DOCTYPE html>\n<html lang=\"en\">"},
	"text":         {`{"mode": "text"}`, 403, http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}, "403 Forbidden\n"},
	"xml":          {`{"mode": "xml"}`, 403, http.Header{"Content-Type": {"application/xml; charset=utf-8"}}, "<?xml version=\"1.0\""},
	"redirect":     {`{"mode": "redirect", "redirect_url": "/sorry"}`, 302, http.Header{"Location": {"/sorry"}, "Content-Length": {"0"}}, ""},
	"ratelimit":    {`{"mode": "ratelimit"}`, 429, http.Header{"Retry-After": {"300"}}, "429 Too Many Requests\n"},
	"fake_success": {`{"mode": "fake_success"}`, 200, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, "APP_NAME="},
}

// modesTestedSeparately lists the modes with separate tests. silent_drop sends nothing; the responses of the others are long or
// slow, or need a second request.
var modesTestedSeparately = []string{"silent_drop", "captcha", "gzip_bomb", "tarpit", "infinite_stream", "proxy"}

func TestResponsesOfEveryMode(t *testing.T) {
	for _, mode := range policy.Modes {
		if !slices.Contains(modesTestedSeparately, mode.Name) {
			t.Run(mode.Name, func(t *testing.T) { checkAnswers(t, mode.Name) })
		}
	}
}

// One connection gets a block, a blocked HEAD, another block and an allowed request. It stays open for all of them.
func checkAnswers(t *testing.T, mode string) {
	want := answers[mode]
	client := start(t, `"methods": ["*"], "response": `+want.response).connect()
	var lengths []string
	for _, method := range []string{"GET", "HEAD", "GET"} {
		client.send(method + " /.env HTTP/1.1\r\nHost: example.com\r\n\r\n")
		status, header, body := client.answer(method)
		lengths = append(lengths, header.Get("Content-Length"))
		if status != want.status || header.Get("Cache-Control") != "no-store" || !containsAll(header, want.header) {
			t.Errorf("%s: got %d %v", method, status, header)
		}
		if method == "HEAD" && body != "" || method == "GET" && !strings.HasPrefix(body, want.body) {
			t.Errorf("%s: got %q", method, body)
		}
	}
	if lengths[0] == "" || len(slices.Compact(lengths)) != 1 {
		t.Errorf("Content-Length of GET, HEAD, GET: %q", lengths)
	}
	client.expect("/clean", 200, "GET /clean ")
}

func containsAll(header, want http.Header) bool {
	for name, values := range want {
		if !slices.Equal(header[name], values) {
			return false
		}
	}
	return true
}

func TestABlockedBodyIsNotReadButTheConnectionLives(t *testing.T) {
	client := start(t, `"methods": ["*"]`).connect()
	for range 3 {
		client.send("POST /.env HTTP/1.1\r\nHost: example.com\r\nContent-Length: 50000\r\n\r\n" + strings.Repeat("x", 50000))
		if status, _, _ := client.answer("POST"); status != 403 {
			t.Fatalf("got %d", status)
		}
	}
	client.expect("/clean", 200, "GET /clean ")
}

func TestPipelinedRequestsGetResponsesInOrder(t *testing.T) {
	client := start(t, ``).connect()
	client.send(strings.Repeat("GET /.env HTTP/1.1\r\nHost: a\r\n\r\nGET /ok HTTP/1.1\r\nHost: a\r\n\r\n", 20))
	for range 20 {
		if status, _, _ := client.answer("GET"); status != 403 {
			t.Fatalf("got %d", status)
		}
		if status, _, body := client.answer("GET"); status != 200 || body != "GET /ok " {
			t.Fatalf("got %d %q", status, body)
		}
	}
}

// Caddy would wait a minute for a body before it sends a response.
func TestAWithheldBodyDelaysNoResponse(t *testing.T) {
	for mode, c := range map[string]struct {
		options string
		status  int
	}{
		"json": {``, 403}, "fake_success": {``, 200}, "gzip_bomb": {``, 200},
		"tarpit": {`, "tarpit_delay_ms": 10, "tarpit_max_duration_seconds": 1`, 200}, "proxy": {`, "proxy_url": "http://127.0.0.1:1"`, 502},
	} {
		t.Run(mode, func(t *testing.T) {
			site := start(t, `"methods": ["*"], "response": {"mode": "`+mode+`"`+c.options+`}`)
			for _, body := range []string{"Content-Length: 100\r\n\r\n", "Content-Length: 9000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nab"} {
				client := site.connect()
				_ = client.conn.SetReadDeadline(time.Now().Add(patience))
				client.send("POST /.env HTTP/1.1\r\nHost: a\r\n" + body)
				if got, _, _ := client.answer("POST"); got != c.status {
					t.Errorf("%q: got %d", body, got)
				}
				client.conn.Close()
			}
		})
	}
}
