package traefik

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

type constructor func(ctx context.Context, next http.Handler, config *Config, name string) (http.Handler, error)

// serve runs a guard with a configuration in front of a backend that echoes the target and the body.
func serve(t *testing.T, config map[string]any) *httptest.Server {
	t.Helper()
	return serveNew(t, New, config)
}

// serveNew is like serve, but makes the guard with construct.
func serveNew(t *testing.T, construct constructor, config map[string]any) *httptest.Server {
	t.Helper()
	config["securityLog"] = false
	c := Config(config)
	h, err := construct(context.Background(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s", r.RequestURI, body)
	}), &c, "test")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// exchange sends a request verbatim on a separate connection, and returns the whole response.
func exchange(t *testing.T, s *httptest.Server, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request+"\r\nHost: x.test\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(c)
	return string(answer)
}

func status(t *testing.T, s *httptest.Server, target string) string {
	t.Helper()
	line, _, _ := strings.Cut(exchange(t, s, "GET "+target+" HTTP/1.1"), "\r\n")
	return strings.TrimPrefix(line, "HTTP/1.1 ")
}

func TestVerdictsDoNotChangeWhenTargetsAreKnown(t *testing.T) {
	for name, config := range map[string]map[string]any{
		"defaults":                    {},
		"queries":                     {"checkQuery": true},
		"headers and bodies":          {"checkHeaders": []any{"X-Original-URL"}, "checkBody": true},
		"a rule that needs no text":   {"blockPatterns": []any{"^/[0-9]+$"}},
		"exceptions":                  {"exceptions": []any{map[string]any{"rules": []any{"env-file"}, "path": "^/never$"}}},
		"everything written as texts": {"checkquery": "true", "METHODS": "GET,POST", "response": map[string]any{"statuscode": "403"}},
	} {
		for variant, construct := range map[string]constructor{"interpreted": New, "compiled": NewCompiled} {
			t.Run(name+", "+variant, func(t *testing.T) { checkTargets(t, serveNew(t, construct, config)) })
		}
	}
}

func checkTargets(t *testing.T, s *httptest.Server) {
	for range 3 {
		for target, want := range map[string]string{
			"/": "200 OK", "/a%20b": "200 OK", "/Caf%C3%A9": "200 OK", "/robots.txt": "200 OK", "/config.js?x=1": "200 OK",
			"/.env": "403 Forbidden", "/a/%2e%2e/.env": "403 Forbidden", "/A/.GIT/config": "403 Forbidden",
		} {
			if got := status(t, s, target); got != want {
				t.Errorf("%s: got %s, want %s", target, got, want)
			}
		}
	}
}

func TestAnAllowedTargetDoesNotExcuseItsHeaders(t *testing.T) {
	s := serve(t, map[string]any{"checkHeaders": []any{"X-Original-URL"}})
	for _, c := range []struct{ header, want string }{
		{"X-Original-UR: /.env", "200"}, {"X_Original_URL: /.env", "403"}, {"x-original-url: /.env", "403"}, {"X-Original-Urn: /.env", "200"},
	} {
		if got := exchange(t, s, "GET /a HTTP/1.1\r\n"+c.header); !strings.HasPrefix(got, "HTTP/1.1 "+c.want) {
			t.Errorf("%q: got %q, want %s", c.header, got, c.want)
		}
	}
}

func TestAnAllowedTargetDoesNotExcuseTheHeadersOfRules(t *testing.T) {
	rule := map[string]any{"id": "crawlers", "action": "block", "pattern": "CCBot", "targets": []any{"header:X-Agent"}}
	for variant, construct := range map[string]constructor{"interpreted": New, "compiled": NewCompiled} {
		s := serveNew(t, construct, map[string]any{"rules": []any{rule}})
		for _, target := range []string{"/a", "/a%20b", "/a", "/a%20b"} {
			for header, want := range map[string]string{"X-Agent: CCBot": "403", "x_agent: xCCBot/2": "403", "X-Agent: curl": "200", "X-Agents: CCBot": "200"} {
				if got := exchange(t, s, "GET "+target+" HTTP/1.1\r\n"+header); !strings.HasPrefix(got, "HTTP/1.1 "+want) {
					t.Errorf("%s: %s, %q: got %q, want %s", variant, target, header, got, want)
				}
			}
		}
	}
}

func TestAnAllowedTargetDoesNotExcuseOtherParts(t *testing.T) {
	s := serve(t, map[string]any{"checkHeaders": []any{"X-Original-URL"}, "checkBody": true, "methods": []any{"*"}})
	form := "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
	for _, c := range []struct{ request, want string }{
		{"GET /a%20b HTTP/1.1", "200"},
		{"GET /a%20b HTTP/1.1\r\nX_Original_URL: /.env", "403"},
		{"GET /a HTTP/1.1\r\nX-Original-URL: /.env", "403"},
		{"POST /a%20b HTTP/1.1" + form + "0", "200"},
	} {
		if got := exchange(t, s, c.request); !strings.HasPrefix(got, "HTTP/1.1 "+c.want) {
			t.Errorf("%q: got %q, want %s", c.request, got, c.want)
		}
	}
	for body, want := range map[string]int{"f=../../etc/passwd": http.StatusForbidden, "f=harmless": http.StatusOK} {
		answer, err := http.Post(s.URL+"/a", "application/x-www-form-urlencoded", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != want || want == http.StatusOK && string(text) != "/a "+body {
			t.Errorf("%s: got %d %q", body, answer.StatusCode, text)
		}
	}
}

func TestErrorsNameEachWrongKey(t *testing.T) {
	c := Config{"chekQuery": true, "maxBodyBytes": "0", "response": map[string]any{"mode": "txt"}}
	_, err := New(context.Background(), http.NotFoundHandler(), &c, "site@file")
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"site@file", "chekQuery", "maxBodyBytes", "response.mode"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %s", err, part)
		}
	}
}

func TestSilentDropSendsNothing(t *testing.T) {
	s := serve(t, map[string]any{"response": map[string]any{"mode": "silent_drop"}})
	if got := exchange(t, s, "GET /.env HTTP/1.1"); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestHeldResponsesAreHTTP(t *testing.T) {
	s := serve(t, map[string]any{"methods": "*", "response": map[string]any{"mode": "infinite_stream", "streamSizeMb": 2}})
	for request, want := range map[string]int{"GET /.env HTTP/1.1": 2 << 20, "GET /.env HTTP/1.0": 2 << 20, "HEAD /.env HTTP/1.1": 0} {
		method, _, _ := strings.Cut(request, " ")
		answer, err := http.ReadResponse(bufio.NewReader(strings.NewReader(exchange(t, s, request))), &http.Request{Method: method})
		if err != nil {
			t.Fatalf("%s: %v", request, err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || len(body) != want || answer.StatusCode != http.StatusOK || answer.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d, %d bytes, %v", request, answer.StatusCode, len(body), err)
		}
	}
}

// Traefik offers plugins no deadlines: a response can be cut off in time only on a connection that was taken over. A
// body that is not read must not prevent that.
func TestABodyDoesNotKeepAHeldResponseOpen(t *testing.T) {
	s := serve(t, map[string]any{"response": map[string]any{"mode": "infinite_stream", "streamSizeMb": 256, "maxResponseSeconds": 1}})
	s.Config.Handler = withoutDeadlines(s.Config.Handler)
	for name, body := range map[string]string{"none": "\r\n", "all of it": "Content-Length: 1\r\n\r\nx", "a part": "Content-Length: 9\r\n\r\nx", "chunks": "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = io.WriteString(c, "GET /.env HTTP/1.1\r\nHost: x.test\r\n"+body)
			for respond.HeldByMode()["infinite_stream"] == 0 {
				time.Sleep(time.Millisecond)
			}
			for began := time.Now(); respond.HeldByMode()["infinite_stream"] != 0; time.Sleep(time.Millisecond) {
				if time.Since(began) > 10*time.Second {
					t.Fatal("held by a client that does not read")
				}
			}
		})
	}
}

// withoutDeadlines serves as Traefik does: its response writer can be hijacked and flushed, and has no deadlines.
func withoutDeadlines(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(struct {
			http.ResponseWriter
			http.Hijacker
			http.Flusher
		}{w, w.(http.Hijacker), w.(http.Flusher)}, r)
	})
}

func TestSharedMemoryIsBounded(t *testing.T) {
	for i := range 2 * mostShared {
		p, problems := policy.LoadLoose(map[string]any{"blockPatterns": []any{fmt.Sprintf("^/only-%d$", i)}})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if _, err := plugin.rules.acquire(p); err != nil {
			t.Fatal(err)
		}
	}
	if len(plugin.rules.sets) > mostShared {
		t.Errorf("%d rule sets are kept", len(plugin.rules.sets))
	}
	p, problems := policy.LoadLoose(map[string]any{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	use, err := plugin.rules.acquire(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3*seenTargets + 1 {
		use.allowed.add(fmt.Sprintf("/%d", i), &engine.Verdict{Reason: engine.ReasonNoMatch})
	}
	count := 0
	use.allowed.seen.Range(func(any, any) bool { count++; return true })
	if count != 1 {
		t.Errorf("%d targets are known, want 1", count)
	}
}

type closed struct {
	io.Reader
	count int
}

func (c *closed) Close() error {
	c.count++
	return nil
}

// The server reuses the buffers of a connection after a panic of the handler. The body must be closed before, because
// a transport may still read from it.
func TestTheOriginalBodyIsClosedAfterTheNextHandler(t *testing.T) {
	for _, panics := range []bool{false, true} {
		body := &closed{Reader: strings.NewReader("f=a")}
		c := Config{"checkBody": true, "methods": []any{"*"}, "securityLog": false}
		h, err := New(context.Background(), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if text, err := io.ReadAll(r.Body); string(text) != "f=a" || err != nil || body.count != 0 {
				t.Errorf("got %q, %v, closed %d times", text, err, body.count)
			}
			if panics {
				panic(http.ErrAbortHandler)
			}
		}), &c, "test")
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", "/a", body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		func() {
			defer func() { _ = recover() }()
			h.ServeHTTP(httptest.NewRecorder(), r)
		}()
		if body.count == 0 {
			t.Errorf("panics %t: the body was not closed", panics)
		}
	}
}

// RFC 9112 6.1 and 6.3: neither status has a body.
func TestAMirroredResponseWithoutABodyHasNoChunks(t *testing.T) {
	for _, code := range []int{http.StatusNoContent, http.StatusNotModified} {
		honeypot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		t.Cleanup(honeypot.Close)
		s := serve(t, map[string]any{"response": map[string]any{"mode": "proxy", "proxyUrl": honeypot.URL}})
		answer := exchange(t, s, "GET /.env HTTP/1.1")
		if strings.Contains(answer, "chunked") || !strings.HasSuffix(answer, "\r\n\r\n") || strings.HasSuffix(answer, "0\r\n\r\n") {
			t.Errorf("got %q", answer)
		}
	}
}

func TestARepeatedTargetCountsOnce(t *testing.T) {
	c := &allowedTargets{seen: &sync.Map{}}
	for range 3 {
		c.add("/a?b", &engine.Verdict{Reason: engine.ReasonNoMatch})
	}
	if c.used != 1 {
		t.Errorf("got %d targets", c.used)
	}
}
