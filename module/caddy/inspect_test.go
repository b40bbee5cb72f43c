package guard

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestInspectionThroughCaddy(t *testing.T) {
	const blocked = "403 Forbidden\n"
	client := start(t, `"check_query": true, "check_headers": ["X-Original-URL"], "block_patterns": ["^/internal/"], "allow_patterns": ["^/docs/"]`).connect()
	client.expect("/clean?a=b", 200, "GET /clean?a=b ")
	client.expect("/.env", 403, blocked)
	client.expect("/static/..%252f.env", 403, blocked)
	client.expect("/internal/x", 403, blocked)
	client.expect("/docs/.env", 200, "GET /docs/.env ")
	client.expect("/robots.txt", 200, "GET /robots.txt ")
	client.expect("/a?file=../../etc/passwd", 403, blocked)
	client.expect("/a", 403, blocked, "X-Original-URL: /.env")
	client.expect("http://other.example/.env", 403, blocked)
}

func TestMethodsThatAreNotInspectedPass(t *testing.T) {
	client := start(t, ``).connect()
	client.send("POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
	if status, _, body := client.answer("POST"); status != 200 || body != "POST /.env hi" {
		t.Errorf("got %d %q", status, body)
	}
}

func TestADisabledGuardPassesEverything(t *testing.T) {
	start(t, `"enabled": false`).connect().expect("/.env", 200, "GET /.env ")
}

func TestRewriteBeforeTheGuard(t *testing.T) {
	site := newSite(t)
	site.before = `{"handler": "rewrite", "uri_substring": [{"find": "/hidden", "replace": "/.env"}, {"find": "/.git/config", "replace": "/clean"}]}`
	site.load(site.config(site.guardOf(``)))
	client := site.connect()
	client.expect("/hidden", 403, "403 Forbidden\n")
	client.expect("/.git/config", 403, "403 Forbidden\n")
	client.expect("/other", 200, "GET /other ")
	for i, want := range []string{`"request_uri":"/hidden"`, `"request_uri":"/.git/config"`} {
		if line := site.lines(site.events)[i]; !strings.Contains(line, want) {
			t.Errorf("got %s", line)
		}
	}
}

func TestMethodRewrittenBeforeTheGuard(t *testing.T) {
	site := newSite(t)
	site.before = `{"handler": "rewrite", "method": "PUT"}`
	site.load(site.config(site.guardOf(``)))
	client := site.connect()
	client.expect("/.env", 403, "403 Forbidden\n")
	client.expect("/clean", 200, "PUT /clean ")
}

// A WebSocket over HTTP/2 or HTTP/3 is a CONNECT here and a GET at the backend. Any other CONNECT is a tunnel, which is refused.
func TestAWebSocketIsInspectedAsTheGETThatItBecomes(t *testing.T) {
	g := provisioned(t, ``)
	for name, c := range map[string]struct {
		major  int
		proto  string
		header http.Header
		status int
	}{
		"HTTP/2":      {2, "HTTP/2.0", http.Header{":protocol": {"websocket"}}, http.StatusForbidden},
		"HTTP/3":      {3, "websocket", http.Header{}, http.StatusForbidden},
		"a tunnel":    {2, "HTTP/2.0", http.Header{}, http.StatusNotImplemented},
		"another use": {3, "connect-udp", http.Header{}, http.StatusNotImplemented},
	} {
		r := httptest.NewRequest("GET", "/.env", nil)
		r.Method, r.ProtoMajor, r.Proto, r.Header = http.MethodConnect, c.major, c.proto, c.header
		// Caddy's copy of the original request has no protocol.
		original := http.Request{Method: r.Method, RemoteAddr: r.RemoteAddr, RequestURI: r.RequestURI, URL: r.URL}
		r = r.WithContext(context.WithValue(r.Context(), caddyhttp.OriginalRequestCtxKey, original))
		if status := serve(t, g, r); status != c.status {
			t.Errorf("%s: got %d", name, status)
		}
	}
}

func TestDetectReportsAndPasses(t *testing.T) {
	site := start(t, `"mode": "detect", "response": {"mode": "silent_drop"}`)
	site.connect().expect("/.env", 200, "GET /.env ")
	lines := site.lines(site.events)
	if len(lines) != 1 || !strings.HasPrefix(lines[0], `{"type":"guard_detect",`) || !strings.Contains(lines[0], `"mode":"detect"`) ||
		!strings.Contains(lines[0], `"action":"silent_drop","status":0`) {
		t.Errorf("got %q", lines)
	}
}

func TestClientAddressThroughTrustedProxies(t *testing.T) {
	const blocked = "403 Forbidden\n"
	site := start(t, `"allowed_ips": ["192.0.2.0/24"], "trusted_proxies": ["127.0.0.0/8", "10.0.0.0/8"]`)
	client := site.connect()
	client.expect("/.env", 200, "GET /.env ", "X-Forwarded-For: 192.0.2.9")
	client.expect("/.env", 200, "GET /.env ", "X-Forwarded-For: 192.0.2.9, 10.1.1.1")
	client.expect("/.env", 200, "GET /.env ", "X-Forwarded-For: 198.51.100.1", "X-Forwarded-For: 192.0.2.9")
	client.expect("/.env", 403, blocked, "X-Forwarded-For: 192.0.2.9, 198.51.100.1") // the client forged the left entry
	client.expect("/.env", 403, blocked)
	for i, want := range []string{"198.51.100.1", "127.0.0.1"} {
		if line := site.lines(site.events)[i]; !strings.Contains(line, fmt.Sprintf(`"client_ip":%q`, want)) {
			t.Errorf("got %s, want %s", line, want)
		}
	}
}

// Caddy's client address is the left-most entry, which a client can forge. The guard does not use it.
func TestCaddysClientAddressIsNotUsed(t *testing.T) {
	site := newSite(t)
	site.extra = `"trusted_proxies": {"source": "static", "ranges": ["127.0.0.0/8"]},`
	site.load(site.config(site.guardOf(`"allowed_ips": ["192.0.2.9"]`)))
	site.connect().expect("/.env", 403, "403 Forbidden\n", "X-Forwarded-For: 192.0.2.9")
	warned := strings.Join(site.lines(site.log), "\n")
	if !strings.Contains(warned, "the server has trusted_proxies but the guard's policy has none") {
		t.Errorf("no warning in %s", warned)
	}
}

func TestNoWarningWhereThePolicyTrustsProxiesToo(t *testing.T) {
	site := newSite(t)
	site.extra = `"trusted_proxies": {"source": "static", "ranges": ["127.0.0.0/8"]},`
	site.load(site.config(site.guardOf(`"trusted_proxies": ["127.0.0.0/8"]`)))
	if log := strings.Join(site.lines(site.log), "\n"); strings.Contains(log, "trusted_proxies") {
		t.Errorf("got %s", log)
	}
}

// Hosts of exceptions do not include the port or a final dot.
func TestExceptionsMatchTheHostName(t *testing.T) {
	g := provisioned(t, `"security_log": false, "exceptions": [{"rules": ["env-file", "hidden-seg"], "path": "^/lab/", "hosts": ["lab.example"]}]`)
	for host, want := range map[string]int{
		"lab.example": 202, "lab.example.": 202, "lab.example.:8443": 202, "lab.example:8443": 202, "LAB.example:80": 202, "other.example": 403, "lab.example.evil:80": 403,
	} {
		r := request("GET", "/lab/.env", "", nil)
		r.Host = host
		if status := serve(t, g, r); status != want {
			t.Errorf("%s: got %d, want %d", host, status, want)
		}
	}
}
