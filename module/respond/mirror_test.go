package respond

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// mirrored is a client of a guard that mirrors to a honeypot with this handler.
func mirrored(t *testing.T, handler http.HandlerFunc, more string) *wire {
	t.Helper()
	honeypot := httptest.NewServer(handler)
	t.Cleanup(honeypot.Close)
	return mirroredTo(t, honeypot.URL, more)
}

func mirroredTo(t *testing.T, url, more string) *wire {
	t.Helper()
	answer, _ := heldSite(t, fmt.Sprintf(`{"mode":"proxy","proxy_url":%q%s}`, url, more))
	return connect(t, answer)
}

func TestAMirroredRequestKeepsItsOtherParts(t *testing.T) {
	var got *http.Request
	var body string
	client := mirrored(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
	}, "")
	client.send("PUT /a/%2e%2E/.env?x=%zz&y HTTP/1.1\r\nHost: example.com\r\nUser-Agent: scanner\r\nX-Own: 1\r\nX-Own: 2\r\n" +
		"Cookie: session=1\r\nAuthorization: Basic eDp5\r\nProxy-Authorization: Basic eDp5\r\nX-Forwarded-For: 1.2.3.4\r\n" +
		"X-Forwarded-Prefix: /x\r\nForwarded: for=1.2.3.4\r\nX-Guard-Reason: mine\r\nConnection: X-Hop\r\nX-Hop: 1\r\nTE: trailers\r\n" +
		"Upgrade: websocket\r\nContent-Length: 5\r\n\r\nhello")
	all(t, client.opening("PUT").Body)
	want := http.Header{
		"User-Agent": {"scanner"}, "X-Own": {"1", "2"}, "Content-Length": {"5"}, "X-Forwarded-For": {clientAddress},
		"X-Forwarded-Host": {"example.com"}, "X-Forwarded-Proto": {"http"}, "X-Guard-Reason": {"block_pattern_match"}, "X-Guard-Proxied": {"1"},
	}
	if fmt.Sprint(got.Header) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got.Header, want)
	}
	if got.Method != "PUT" || got.RequestURI != "/a/%2e%2E/.env?x=%zz&y" || body != "hello" || !strings.HasPrefix(got.Host, "127.0.0.1:") {
		t.Errorf("got %s %s %q for %s", got.Method, got.RequestURI, body, got.Host)
	}
}

func TestTheTargetOfAMirroredRequestNamesNoOtherHost(t *testing.T) {
	m := &mirror{}
	m.target, _ = m.target.Parse("http://pot.example:8080")
	for target, want := range map[string]string{
		"/.env": "/.env", "//other.example/.env": "//other.example/.env", "http://other.example/.env?a": "/.env?a",
		"http://other.example": "/", "http://other.example?a=b": "/?a=b", "/a://b/?": "/a://b/?", "*": "*", "//a|b%zz": "//a%7Cb%25zz",
	} {
		u := m.locate(target)
		if got := u.RequestURI(); got != want || u.Host != "pot.example:8080" || u.Scheme != "http" {
			t.Errorf("%s: got %s at %s", target, got, u.Host)
		}
	}
	m.target, _ = m.target.Parse("https://pot.example/base/")
	if got := m.locate("/.env").RequestURI(); got != "/base/.env" {
		t.Errorf("got %s", got)
	}
}

func TestAMirroredResponseLosesHeadersWithLastingEffect(t *testing.T) {
	client := mirrored(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for _, name := range append([]string{"Keep-Alive", "Proxy-Connection"}, mirrorAnswerStripped...) {
			h.Set(name, "x")
		}
		h.Set("Cache-Control", "public")
		h.Set("Server", "pot")
		h.Set("Content-Type", "text/x-pot")
		h.Set("X-Guard", "theirs")
		w.WriteHeader(418)
		_, _ = io.WriteString(w, "tea")
	}, `,"headers":{"X-Guard":"ours"}`)
	for range 2 {
		status, header, body := client.request("GET", "/.env")
		want := http.Header{"Cache-Control": {"no-store"}, "Server": {"pot"}, "Content-Type": {"text/x-pot"}, "X-Guard": {"ours"}, "Content-Length": {"3"}}
		if status != 418 || body != "tea" || fmt.Sprint(header) != fmt.Sprint(want) {
			t.Errorf("got %d %v %q", status, header, body)
		}
	}
	if res := client.begin("HEAD", "/.env"); res.StatusCode != 418 || res.ContentLength != 3 {
		t.Errorf("HEAD: got %s, %d", res.Status, res.ContentLength)
	}
}

// Both sides stream. Interim responses (RFC 9110 15.2) are not forwarded, because they cannot be edited.
func TestInterimResponsesAreNotMirrored(t *testing.T) {
	honeypot := speaker(t, "HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=b\r\nAlt-Svc: h3\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	client := mirroredTo(t, "http://"+honeypot, "")
	client.send("GET /.env HTTP/1.1\r\nHost: example.com\r\n\r\n")
	res := client.opening("GET")
	if body := all(t, res.Body); res.StatusCode != 200 || string(body) != "ok" || res.Header.Get("Set-Cookie") != "" {
		t.Errorf("got %d %v %s", res.StatusCode, res.Header, body)
	}
}

func TestBothSidesOfAMirrorStream(t *testing.T) {
	client := mirrored(t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.EnableFullDuplex()
		lines := bufio.NewScanner(r.Body)
		_ = control.Flush()
		for lines.Scan() {
			fmt.Fprintf(w, "%s!", lines.Text())
			_ = control.Flush()
		}
	}, "")
	client.send("POST /.env HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
	res := client.opening("POST")
	for _, line := range []string{"one", "two"} {
		client.send("4\r\n" + line + "\n\r\n")
		echo := make([]byte, 4)
		if _, err := io.ReadFull(res.Body, echo); err != nil || string(echo) != line+"!" {
			t.Fatalf("got %q, %v", echo, err)
		}
	}
	client.send("0\r\n\r\n")
	if rest := all(t, res.Body); len(rest) != 0 {
		t.Errorf("got %q", rest)
	}
}

func TestALoopIsDetected(t *testing.T) {
	client := mirrored(t, func(http.ResponseWriter, *http.Request) { t.Error("mirrored again") }, "")
	client.send("GET /.env HTTP/1.1\r\nHost: a\r\nX-Guard-Proxied: 1\r\n\r\n")
	if status, _, body := client.answer("GET"); status != 508 || body != "508 Loop Detected\n" {
		t.Errorf("got %d %q", status, body)
	}
	client.send("CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n")
	if status, _, _ := client.answer("GET"); status != 403 {
		t.Errorf("CONNECT: got %d", status)
	}
}

// badTargets respond in ways that a client must not see.
var badTargets = map[string]struct {
	answer string
	more   string
	status int
}{
	"closes":             {"", "", 502},
	"is not HTTP":        {"SSH-2.0-x\r\n", "", 502},
	"has no end of head": {"HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 70_000), "", 502},
	"changes protocol":   {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "", 502},
	"says nothing":       {"wait", `,"max_response_seconds":1`, 504},
}

func TestABadTarget(t *testing.T) {
	for name, c := range badTargets {
		t.Run(name, func(t *testing.T) {
			client := mirroredTo(t, "http://"+speaker(t, c.answer), c.more)
			for range 2 {
				client.send("POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
				status, header, body := client.answer("POST")
				if status != c.status || body != statusLine(c.status)+"\n" || header.Get("Cache-Control") != "no-store" {
					t.Errorf("got %d %v %q", status, header, body)
				}
				client = client.again()
			}
		})
	}
}

// An unreachable target is reported once.
func TestAnUnreachableTarget(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	var reports []string
	host, _ := holdingHost(t)
	host.Report = func(message string) { reports = append(reports, message) }
	answer := New(resolved(t, fmt.Sprintf(`{"mode":"proxy","proxy_url":"http://%s"}`, listener.Addr())), nil, host)
	client := connect(t, answer)
	for range 2 {
		if status, _, _ := client.request("GET", "/.env"); status != 502 {
			t.Errorf("got %d", status)
		}
	}
	if len(reports) != 1 || !strings.Contains(reports[0], listener.Addr().String()) {
		t.Errorf("reports: %q", reports)
	}
}

// A client that withholds its body waits for the target no longer than the time bound.
func TestAWithheldBodyDoesNotHoldAMirrorLonger(t *testing.T) {
	for _, answer := range []string{"", "wait"} {
		client := mirroredTo(t, "http://"+speaker(t, answer), `,"max_response_seconds":1`)
		client.send("POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
		res := client.opening("POST")
		if body := all(t, res.Body); res.StatusCode != 504 || string(body) != "504 Gateway Timeout\n" || !res.Close {
			t.Errorf("%q: got %s %q", answer, res.Status, body)
		}
	}
}

// speaker responds to every connection with some bytes, and closes it; "wait": with nothing until the end of the test.
func speaker(t *testing.T, answer string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { close(done); listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if answer == "wait" {
					<-done
					return
				}
				_, _ = conn.Read(make([]byte, 1024))
				_, _ = io.WriteString(conn, answer)
			}()
		}
	}()
	return listener.Addr().String()
}

func TestABrokenResponseDoesNotLookComplete(t *testing.T) {
	for name, head := range map[string]string{
		"length": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
		"chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			res := mirroredTo(t, "http://"+speaker(t, head), "").begin("GET", "/.env")
			if got, err := io.ReadAll(res.Body); string(got) != "half" || err == nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestAMirroredResponseEndsInTimeAndWithItsClient(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}
	for name, leave := range map[string]bool{"in time": false, "with its client": true} {
		t.Run(name, func(t *testing.T) {
			more := `,"max_response_seconds":1`
			if leave {
				more = ""
			}
			client := mirrored(t, endless, more)
			client.begin("GET", "/.env")
			if Held()["proxy"] != 1 {
				t.Errorf("held: %v", Held())
			}
			if leave {
				client.conn.Close()
			}
			nothingIsHeld(t)
		})
	}
}

func TestMirrorTablesAreInLowerCase(t *testing.T) {
	for _, names := range [][]string{mirrorHopByHop, mirrorRequestStripped, mirrorRequestStrippedPrefixes, mirrorAnswerStripped} {
		for _, name := range names {
			if name != strings.ToLower(name) || slices.Contains(names, "") {
				t.Errorf("%q", name)
			}
		}
	}
}

// A handler around the guard may have set headers before.
func TestAMirroredResponseReplacesHeadersThatWereSet(t *testing.T) {
	honeypot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	t.Cleanup(honeypot.Close)
	answer, _ := heldSite(t, fmt.Sprintf(`{"mode":"proxy","proxy_url":%q,"headers":{"X-Guard":"ours"}}`, honeypot.URL))
	client := connect(t, func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		w.Header().Set("X-Guard", "theirs")
		answer(w, r, b)
	})
	_, header, _ := client.request("GET", "/.env")
	if got := fmt.Sprint(header["Cache-Control"], header["X-Guard"]); got != "[no-store] [ours]" {
		t.Errorf("got %s", got)
	}
}

func TestTrailersAreNotMirrored(t *testing.T) {
	var announced http.Header
	client := mirrored(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		announced = r.Trailer
		w.Header().Set("Trailer", "Set-Cookie")
		_, _ = io.WriteString(w, "ok")
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set(http.TrailerPrefix+"Alt-Svc", "h3")
	}, "")
	client.send("POST /.env HTTP/1.1\r\nHost: a\r\nTrailer: X-Own\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Own: 1\r\n\r\n")
	res := client.opening("POST")
	if body := all(t, res.Body); string(body) != "ok" || len(res.Trailer) > 0 || len(announced) > 0 {
		t.Errorf("got %q with %v; the target got %v", body, res.Trailer, announced)
	}
}
