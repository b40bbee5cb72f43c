package guard

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"golang.org/x/net/http2"
)

// received records the requests of a backend: protocol, method, target and Upgrade.
type received struct {
	mu    sync.Mutex
	lines []string
}

func (s *received) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.lines, "; ")
	s.lines = nil
	return text
}

// expect expects that these requests arrive, in this order.
func (s *received) expect(t *testing.T, want string) {
	t.Helper()
	got := s.take()
	for began := time.Now(); got != want && strings.HasPrefix(want, got) && time.Since(began) < patience; time.Sleep(time.Millisecond) {
		if more := s.take(); more != "" {
			got = strings.TrimPrefix(got+"; "+more, "; ")
		}
	}
	if got != want {
		t.Errorf("the backend received %q, want %q", got, want)
	}
}

// record records a request.
func (s *received) record(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", r.ProtoMajor, r.Method, r.RequestURI, r.Header.Get("Upgrade"))))
}

// newH2cBackend starts a server that uses HTTP/2 after an upgrade to h2c (RFC 7540 3.2). Like Hypercorn it needs no HTTP2-Settings.
func newH2cBackend(t *testing.T) (address string, requests *received) {
	t.Helper()
	requests = new(received)
	overHTTP2 := &http2.ServeConnOpts{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { requests.record(r) })}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.record(r)
		if r.Header.Get("Upgrade") != "h2c" {
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
		new(http2.Server).ServeConn(conn, overHTTP2)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), requests
}

// proxied serves a site with a guard in front of reverse_proxy.
func proxied(t *testing.T, keys, backend string) *site {
	t.Helper()
	s := newSite(t)
	s.load(s.config(s.guardOf(keys), fmt.Sprintf(`{"handler": "reverse_proxy", "upstreams": [{"dial": %q}]}`, backend)))
	return s
}

var countedUpgrades = regexp.MustCompile(`(?m)^caddy_guard_upgrades_removed_total\{mode="enforce"\} (\d+)$`)

// upgradesCounted returns the number of removals in the metrics of Caddy.
func (s *site) upgradesCounted() int {
	s.t.Helper()
	res, err := http.Get("http://" + s.admin + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	found := countedUpgrades.FindSubmatch(text)
	if found == nil {
		s.t.Fatalf("no counter in %s", text)
	}
	count, _ := strconv.Atoi(string(found[1]))
	return count
}

const h2cHeaders = "Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"

// askOverH2c upgrades a connection to h2c and requests /.env on it. It returns the status line of the upgrade.
func askOverH2c(t *testing.T, s *site) string {
	t.Helper()
	client := s.connect()
	client.send("GET /ok HTTP/1.1\r\n" + h2cHeaders + "\r\n")
	status, err := client.read.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(status, "HTTP/1.1 101 ") {
		return status
	}
	for line := status; line != "\r\n" && err == nil; {
		line, err = client.read.ReadString('\n')
	}
	conn := replayed{client.conn, client.read}
	h2, err := new(http2.Transport).NewClientConn(conn)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := http.NewRequest("GET", "http://a/.env", nil)
	res, err := h2.RoundTrip(r)
	if err == nil {
		_ = res.Body.Close()
	}
	return status
}

// replayed reads what a reader has already buffered.
type replayed struct {
	net.Conn
	read *bufio.Reader
}

func (r replayed) Read(p []byte) (int, error) { return r.read.Read(p) }

func TestNoStreamReachesTheBackendAfterAnUpgrade(t *testing.T) {
	backend, requests := newH2cBackend(t)
	upgradeNote = sync.Once{}
	s := proxied(t, ``, backend)
	if got := askOverH2c(t, s); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("got %q", got)
	}
	if got := requests.take(); got != "1 GET /ok" {
		t.Errorf("the backend received %q", got)
	}
	if log := strings.Join(s.lines(s.log), "\n"); !strings.Contains(log, `the protocol \"h2c\" was removed from a request`) {
		t.Errorf("the log has no note: %s", log)
	}
}

// Without the removal, the same exchange reaches a file that the guard blocks.
func TestWhereAnUpgradePasses(t *testing.T) {
	backend, requests := newH2cBackend(t)
	for name, keys := range map[string]string{
		"an entry": `"allow_upgrades": ["H2C"]`, "detect": `"mode": "detect"`, "off": `"enabled": false`, "an address": `"allowed_ips": ["127.0.0.1"]`,
	} {
		t.Run(name, func(t *testing.T) {
			askOverH2c(t, proxied(t, keys, backend))
			if got := requests.take(); !strings.Contains(got, "2 GET /.env") {
				t.Errorf("the backend received %q", got)
			}
		})
	}
}

func TestRequestsContinueWithoutTheirUpgrade(t *testing.T) {
	backend, requests := newH2cBackend(t)
	s := proxied(t, ``, backend)
	before := s.upgradesCounted()
	for request, want := range map[string]string{
		"OPTIONS /ok HTTP/1.1\r\n" + h2cHeaders:                                                       "1 OPTIONS /ok",
		"POST /ok HTTP/1.1\r\nContent-Length: 2\r\n" + h2cHeaders:                                     "1 POST /ok",
		"GET /ok HTTP/1.0\r\n" + h2cHeaders:                                                           "1 GET /ok",
		"GET /ok HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: TLS/1.0\r\n":                  "1 GET /ok",
		"GET /ok HTTP/1.1\r\nHost: a\r\nConnection: \tx ,uPGRADE\r\nuPGRADE: h2c\r\nUpgrade: tcp\r\n": "1 GET /ok",
		"GET /ok HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c, websocket\r\n":           "1 GET /ok websocket",
		"GET /ok HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: WebSocket\r\n":                "1 GET /ok websocket",
	} {
		client := s.connect()
		client.send(request + "\r\n" + strings.Repeat("x", strings.Count(request, "Content-Length")*2))
		if status, _, _ := client.answer("GET"); status != http.StatusOK {
			t.Errorf("%q: got %d", request, status)
		}
		if got := requests.take(); got != want {
			t.Errorf("%q: the backend received %q, want %q", request, got, want)
		}
	}
	if counted := s.upgradesCounted() - before; counted != 6 {
		t.Errorf("%d removals were counted", counted)
	}
}

// Caddy sends the content of a CONNECT over HTTP/2 unframed to the backend, which reads it as requests that no guard has seen.
func TestATunnelIsRefused(t *testing.T) {
	backend, requests := newH2cBackend(t)
	for keys, want := range map[string]string{``: "", `"methods": ["*"]`: "", `"allow_upgrades": ["connect"]`: "1 CONNECT a:80; 1 GET /.env"} {
		s := proxied(t, keys, backend)
		transport := &http.Transport{Protocols: new(http.Protocols), DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.address)
		}}
		transport.Protocols.SetUnencryptedHTTP2(true)
		t.Cleanup(transport.CloseIdleConnections)
		body, tunnel := io.Pipe()
		t.Cleanup(func() { _ = tunnel.Close() })
		go func() { _, _ = io.WriteString(tunnel, "GET /.env HTTP/1.1\r\nHost: a\r\n\r\n") }()
		r, _ := http.NewRequest(http.MethodConnect, "http://a:80", body)
		res, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if (want == "") != (res.StatusCode == http.StatusNotImplemented) {
			t.Errorf("%s: got %s", keys, res.Status)
		}
		requests.expect(t, want)
	}
}
