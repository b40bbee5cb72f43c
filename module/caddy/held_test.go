package guard

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/request-guard/guard/respond"
)

const longTarpit = `"response": {"mode": "tarpit", "tarpit_delay_ms": 10, "tarpit_max_duration_seconds": 3600}`

func until(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !isTrue(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func heldIn(mode string, count int) func() bool {
	return func() bool { return respond.HeldByMode()[mode] == count }
}

// begin sends a request and reads the head of the response.
func (w *wire) begin(method, target string) *http.Response {
	w.t.Helper()
	w.send(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a\r\n\r\n", method, target))
	res, err := http.ReadResponse(w.read, &http.Request{Method: method})
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

// http2 returns a client that uses HTTP/2 without TLS.
func (s *site) http2() *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols), DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.address)
	}}
	transport.Protocols.SetUnencryptedHTTP2(true)
	transport.DisableCompression = true // the test inspects the bytes on the wire
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

// inBoth sends GET and HEAD for a blocked path over HTTP/1.1 and HTTP/2, and checks each response.
func (s *site) inBoth(t *testing.T, check func(t *testing.T, res *http.Response, body []byte)) {
	t.Helper()
	one, two := s.connect(), s.http2()
	for _, method := range []string{"GET", "HEAD", "GET"} {
		request, _ := http.NewRequest(method, "http://example.com/.env", nil)
		second, err := two.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		for _, res := range []*http.Response{one.begin(method, "/.env"), second} {
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Errorf("%s %s: %v", res.Proto, method, err)
			}
			res.Body.Close()
			if res.Header.Get("Cache-Control") != "no-store" || method == "HEAD" && len(body) != 0 {
				t.Errorf("%s %s: got %v, %d bytes", res.Proto, method, res.Header, len(body))
			}
			if method == "GET" {
				check(t, res, body)
			}
			if res.Close {
				one = s.connect()
			}
		}
	}
	one.expect("/clean", 200, "GET /clean ")
}

func TestGzipBomb(t *testing.T) {
	start(t, `"methods": ["*"], "response": {"mode": "gzip_bomb", "gzip_bomb_mb": 3}`).inBoth(t, func(t *testing.T, res *http.Response, body []byte) {
		reader, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, reader); n != 3<<20 || err != nil || res.ContentLength != int64(len(body)) {
			t.Errorf("%s: inflates to %d, %v", res.Proto, n, err)
		}
	})
}

func TestTarpit(t *testing.T) {
	start(t, `"methods": ["*"], "response": {"mode": "tarpit", "tarpit_delay_ms": 10, "tarpit_max_duration_seconds": 1}`).inBoth(t, func(t *testing.T, res *http.Response, body []byte) {
		if n := len(body); res.StatusCode != 200 || n < 2 || n > 100 || strings.Trim(string(body), ".") != "" {
			t.Errorf("%s: got %s %q", res.Proto, res.Status, body)
		}
	})
}

func TestInfiniteStream(t *testing.T) {
	start(t, `"methods": ["*"], "response": {"mode": "infinite_stream", "stream_size_mb": 2}`).inBoth(t, func(t *testing.T, res *http.Response, body []byte) {
		if len(body) != 2<<20 || res.Header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%s: got %d bytes of %v", res.Proto, len(body), res.Header)
		}
	})
}

func TestProxy(t *testing.T) {
	honeypot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "pot")
		fmt.Fprintf(w, "%s %s for %s because %s", r.Method, r.RequestURI, r.Header.Get("X-Forwarded-For"), r.Header.Get("X-Guard-Reason"))
	}))
	t.Cleanup(honeypot.Close)
	site := start(t, `"methods": ["*"], "response": {"mode": "proxy", "proxy_url": "`+honeypot.URL+`"}`)
	site.inBoth(t, func(t *testing.T, res *http.Response, body []byte) {
		if got := string(body); got != "GET /.env for 127.0.0.1 because block_pattern_match" || fmt.Sprint(res.Header["Server"]) != "[pot]" {
			t.Errorf("%s: got %v %q", res.Proto, res.Header, got)
		}
	})
	client := site.connect()
	client.expect("/clean?a", 200, "GET /clean?a ")
	client.expect("/.env?b=c", 200, "GET /.env?b=c for 127.0.0.1 because block_pattern_match")
}

func TestProxyToItselfIsALoop(t *testing.T) {
	site := newSite(t)
	site.load(site.config(site.guardOf(`"response": {"mode": "proxy", "proxy_url": "http://` + site.address + `"}`)))
	site.connect().expect("/.env", 508, "508 Loop Detected\n")
}

func TestAClientOfHTTP2ThatDisconnects(t *testing.T) {
	site := start(t, longTarpit)
	ctx, leave := context.WithCancel(context.Background())
	request, _ := http.NewRequestWithContext(ctx, "GET", "http://example.com/.env", nil)
	res, err := site.http2().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	until(t, "held", heldIn("tarpit", 1))
	leave()
	until(t, "let go", heldIn("tarpit", 0))
}

func TestBeyondTheCeilingTheResponseIsText(t *testing.T) {
	site := start(t, strings.TrimSuffix(longTarpit, "}")+`, "max_held_per_address": 1}`)
	site.connect().begin("GET", "/.env")
	site.connect().expect("/.env", 403, "403 Forbidden\n")
	_, text := site.ask("GET", "/metrics", "", nil)
	for _, want := range []string{`caddy_guard_held_requests{action="tarpit"} 1`, `caddy_guard_held_requests{action="proxy"} 0`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in:\n%s", want, grep(text, "caddy_guard_held"))
		}
	}
}

// A reload ends held requests, even if the client does not read.
func TestAReloadEndsHeldRequests(t *testing.T) {
	for name, response := range map[string]string{
		"tarpit": longTarpit,
		"stream": `"response": {"mode": "infinite_stream", "stream_size_mb": 102400, "max_response_seconds": 3600}`,
	} {
		t.Run(name, func(t *testing.T) {
			site := start(t, response)
			site.connect().begin("GET", "/.env")
			until(t, "held", func() bool { return respond.HeldByMode()["tarpit"]+respond.HeldByMode()["infinite_stream"] == 1 })
			site.load(site.config(site.guardOf(``)))
			until(t, "let go", func() bool { return respond.HeldByMode()["tarpit"]+respond.HeldByMode()["infinite_stream"] == 0 })
			site.reconnect().expect("/.env", 403, "403 Forbidden\n")
			if err := caddy.Stop(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A held HTTP/2 stream ends in time even if its client reads nothing. Other streams of the connection continue.
func TestAStreamThatIsNotReadEnds(t *testing.T) {
	site := start(t, `"response": {"mode": "infinite_stream", "stream_size_mb": 102400, "max_response_seconds": 1}`)
	client := site.http2()
	res, err := client.Get("http://example.com/.env")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	until(t, "let go", heldIn("infinite_stream", 0))
	clean, err := client.Get("http://example.com/clean")
	if err != nil || clean.StatusCode != 200 {
		t.Fatal(clean, err)
	}
	clean.Body.Close()
	if n, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Errorf("%d bytes look like a complete response", n)
	}
}

// After SIGTERM the process ends although it holds requests. Caddy's default grace period is unlimited.
func TestAProcessEndsAlthoughItHolds(t *testing.T) {
	if os.Getenv(childConfig) != "" {
		childOf(t)
		return
	}
	site := newSite(t)
	config := strings.Replace(site.config(site.guardOf(longTarpit)), `"grace_period": "1s", `, "", 1)
	child := exec.Command(os.Args[0], "-test.run=^TestAProcessEndsAlthoughItHolds$")
	child.Env = append(os.Environ(), childConfig+"="+config)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	site.reconnect().begin("GET", "/.env")
	ended := make(chan struct{})
	go func() { _ = child.Wait(); close(ended) }()
	if err := child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the process waits for a request that is held")
	}
}

const childConfig = "GUARD_TEST_CHILD_CONFIG"

func childOf(t *testing.T) {
	caddy.TrapSignals()
	if err := caddy.Load([]byte(os.Getenv(childConfig)), true); err != nil {
		t.Fatal(err)
	}
	select {} // wait for the signal
}

// A handler that encodes responses does not send the head before there is a body.
func TestATarpitBehindAnEncoder(t *testing.T) {
	site := newSite(t)
	site.before = `{"handler": "encode", "encodings": {"gzip": {}}, "minimum_length": 1}`
	site.load(site.config(site.guardOf(`"response": {"mode": "tarpit", "tarpit_delay_ms": 10, "tarpit_max_duration_seconds": 1}`)))
	client := site.connect()
	client.send("GET /.env HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
	if status, header, body := client.answer("GET"); status != 200 || len(body) < 2 || header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("got %d %v %q", status, header, body)
	}
}
