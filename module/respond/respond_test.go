package respond

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/request-guard/guard/policy"
)

func resolved(t *testing.T, file string) *policy.Response {
	t.Helper()
	p, problems := policy.Load([]byte(`{"response":` + file + `}`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &p.Response
}

func build(t *testing.T, file string) Answer {
	t.Helper()
	return New(resolved(t, file), []byte("a secret of the tests"), Host{})
}

func TestEveryModeOfTheContractIsThere(t *testing.T) {
	for _, mode := range policy.Modes {
		if modes[mode.Name] == nil {
			t.Errorf("%s is missing", mode.Name)
		}
	}
}

const forbiddenPage = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n" +
	"<title>403 Forbidden</title>\n</head>\n<body>\n<main>\n<h1>403 Forbidden</h1>\n<p>The request was blocked.</p>\n</main>\n</body>\n</html>\n"

// onTheWire has responses of the modes that send a complete body: status, headers except Date and Content-Length, body.
var onTheWire = []struct {
	name, response string
	status         int
	header         http.Header
	body           string
}{
	{"json", `{"mode":"json"}`, 403,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"application/json"}},
		`{"error":{"code":"block_pattern_match","message":"the request was blocked"}}` + "\n"},
	{"xml", `{"mode":"xml"}`, 403,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"application/xml; charset=utf-8"}},
		`<?xml version="1.0" encoding="UTF-8"?>` + "\n<error><code>block_pattern_match</code><message>the request was blocked</message></error>\n"},
	{"text", `{"mode":"text"}`, 403,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}},
		"403 Forbidden\n"},
	{"html", `{"mode":"html"}`, 403,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"text/html; charset=utf-8"}}, forbiddenPage},
	{"redirect", `{"mode":"redirect"}`, 302, http.Header{"Cache-Control": {"no-store"}, "Location": {"/"}}, ""},
	{"redirect elsewhere", `{"mode":"redirect","redirect_url":"https://example.org/?a=b","status_code":307}`, 307,
		http.Header{"Cache-Control": {"no-store"}, "Location": {"https://example.org/?a=b"}}, ""},
	{"ratelimit", `{"mode":"ratelimit"}`, 429,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Retry-After": {"300"}},
		"429 Too Many Requests\n"},
	{"ratelimit with its own numbers", `{"mode":"ratelimit","retry_after_seconds":7,"status_code":503,"body":"later"}`, 503,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Retry-After": {"7"}},
		"later"},
	{"own body, type and status", `{"mode":"json","body":"{}","content_type":"application/problem+json","status_code":404}`, 404,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"application/problem+json"}}, "{}"},
	{"empty own body", `{"mode":"html","body":""}`, 403,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"text/html; charset=utf-8"}}, ""},
	{"unnamed status", `{"mode":"text","status_code":499}`, 499,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}, "499 Blocked\n"},
	{"own headers, but never a cached block", `{"mode":"xml","headers":{"x-guard":"1","cache-control":"public"}}`, 403,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"application/xml; charset=utf-8"}, "X-Guard": {"1"}},
		`<?xml version="1.0" encoding="UTF-8"?>` + "\n<error><code>block_pattern_match</code><message>the request was blocked</message></error>\n"},
	{"own success", `{"mode":"fake_success","body":"ok"}`, 200,
		http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}}, "ok"},
}

func TestOnTheWire(t *testing.T) {
	for _, c := range onTheWire {
		t.Run(c.name, func(t *testing.T) {
			client := connect(t, build(t, c.response))
			status, header, body := client.request("GET", "/.env")
			expect(t, status, header, body, c.status, c.header, c.body, len(c.body))
			status, header, body = client.request("HEAD", "/.env")
			expect(t, status, header, body, c.status, c.header, "", len(c.body))
			status, header, body = client.request("GET", "/.env")
			expect(t, status, header, body, c.status, c.header, c.body, len(c.body))
		})
	}
}

func expect(t *testing.T, status int, header http.Header, body string, wantStatus int, wantHeader http.Header, wantBody string, length int) {
	t.Helper()
	if got := header.Get("Content-Length"); got != fmt.Sprint(length) {
		t.Errorf("Content-Length %s, want %d", got, length)
	}
	header.Del("Content-Length")
	if got, want := fmt.Sprint(header), fmt.Sprint(wantHeader); status != wantStatus || got != want || body != wantBody {
		t.Errorf("got  %d %s %q\nwant %d %s %q", status, got, body, wantStatus, want, wantBody)
	}
}

func TestAnUnreadBodyDoesNotBreakTheConnection(t *testing.T) {
	client := connect(t, build(t, `{"mode":"json"}`))
	for range 3 {
		client.send("POST /.env HTTP/1.1\r\nHost: example.com\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100000))
		if status, _, body := client.answer("POST"); status != 403 || body == "" {
			t.Fatalf("got %d %q", status, body)
		}
	}
}

func TestDefaultDocumentsAreWellFormed(t *testing.T) {
	documents := map[string]func([]byte) error{
		"json": func(b []byte) error { var v any; return json.Unmarshal(b, &v) },
		"xml":  func(b []byte) error { var v struct{}; return xml.Unmarshal(b, &v) },
	}
	for mode, parse := range documents {
		_, _, body := connect(t, build(t, `{"mode":"`+mode+`"}`)).request("GET", "/.env")
		if err := parse([]byte(body)); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

func TestSilentDropLeavesTheConnectionToTheHost(t *testing.T) {
	dropped := 0
	drop := func(http.ResponseWriter, *http.Request) { dropped++ }
	answer := New(resolved(t, `{"mode":"silent_drop"}`), nil, Host{Drop: drop})
	w := httptest.NewRecorder()
	answer(w, httptest.NewRequest("GET", "/.env", nil), &Blocked{})
	if dropped != 1 || len(w.Header()) != 0 || w.Body.Len() != 0 {
		t.Errorf("%d drops, %v, %q", dropped, w.Header(), w.Body)
	}
}

// A handler around the guard may edit the values of a header in place.
func TestResponsesDoNotShareHeaderValues(t *testing.T) {
	answer := build(t, `{"mode":"json","headers":{"X-Guard":"1"}}`)
	for range 2 {
		w := httptest.NewRecorder()
		answer(w, httptest.NewRequest("GET", "/.env", nil), &Blocked{})
		if got := w.Header()["X-Guard"]; !slices.Equal(got, []string{"1"}) {
			t.Errorf("got %q", got)
		}
		w.Header()["X-Guard"][0] = "edited"
	}
}

func TestHeadGetsNoBody(t *testing.T) {
	for _, mode := range []string{"json", "html", "text", "xml", "ratelimit", "fake_success"} {
		w := httptest.NewRecorder()
		build(t, `{"mode":"`+mode+`"}`)(w, httptest.NewRequest("HEAD", "/.env", nil), &Blocked{Path: "/.env"})
		if w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0" {
			t.Errorf("%s: got %q, Content-Length %s", mode, w.Body, w.Header().Get("Content-Length"))
		}
	}
}
