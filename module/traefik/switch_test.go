package traefik

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/request-guard/guard/host"
)

// passedOn sends a request through a guard. It returns the headers Connection, Upgrade and HTTP2-Settings that reach the next
// handler, or the status of the guard's response.
func passedOn(t *testing.T, construct constructor, config map[string]any, r *http.Request) string {
	t.Helper()
	config["securityLog"] = false
	c, got := Config(config), ""
	h, err := construct(context.Background(), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = strings.Join([]string{r.Header.Get("Connection"), r.Header.Get("Upgrade"), r.Header.Get("HTTP2-Settings")}, "|")
	}), &c, "test")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); got == "" {
		return http.StatusText(w.Code)
	}
	return got
}

// TestNoPathAroundTheGuardKeepsAnUpgrade has a policy for each fast path of a guard.
func TestNoPathAroundTheGuardKeepsAnUpgrade(t *testing.T) {
	for name, config := range map[string]map[string]any{
		"paths": {}, "queries": {"checkQuery": true}, "headers": {"checkHeaders": []any{"X-Original-URL"}}, "bodies": {"checkBody": true},
		"other methods": {"methods": []any{"PUT"}}, "an allow rule": {"allowPatterns": []any{"."}}, "debug": {"debug": true},
	} {
		for variant, construct := range map[string]constructor{"interpreted": New, "compiled": NewCompiled} {
			t.Run(name+", "+variant, func(t *testing.T) {
				for _, method := range []string{"GET", "POST", "OPTIONS", "GET"} {
					r := httptest.NewRequest(method, "/a%20b", nil)
					r.Header = http.Header{"Connection": {"Upgrade, HTTP2-Settings"}, "Upgrade": {"h2c"}, "Http2-Settings": {"AA"}}
					if got := passedOn(t, construct, config, r); got != "||" {
						t.Errorf("%s: got %q", method, got)
					}
				}
			})
		}
	}
}

func TestWhoKeepsAnUpgrade(t *testing.T) {
	for name, c := range map[string]struct {
		config   map[string]any
		protocol string
		want     string
	}{
		"a WebSocket":      {map[string]any{}, "websocket", "Upgrade|websocket|"},
		"an entry":         {map[string]any{"allowUpgrades": "SPDY/3.1,H2C"}, "h2c", "Upgrade|h2c|"},
		"only detected":    {map[string]any{"mode": host.ModeDetect}, "h2c", "Upgrade|h2c|"},
		"not enabled":      {map[string]any{"enabled": false}, "h2c", "Upgrade|h2c|"},
		"another address":  {map[string]any{"allowedIps": []any{"198.51.100.1"}}, "h2c", "||"},
		"an allowed one":   {map[string]any{"allowedIps": []any{"192.0.2.1"}}, "h2c", "Upgrade|h2c|"},
		"without an entry": {map[string]any{"allowUpgrades": []any{"h2c"}}, "websocket", "||"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {c.protocol}}
		if got := passedOn(t, New, c.config, r); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Traefik sends the bytes behind a CONNECT of HTTP/2 or HTTP/3 to the backend, whatever protocol it names.
func TestATunnelIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		config map[string]any
		proto  string
		want   string
	}{
		"the defaults":          {map[string]any{}, "HTTP/2.0", "Not Implemented"},
		"a protocol of HTTP/3":  {map[string]any{}, "websocket", "Not Implemented"},
		"inspected":             {map[string]any{"methods": "*"}, "HTTP/2.0", "Not Implemented"},
		"only detected":         {map[string]any{"mode": host.ModeDetect}, "HTTP/2.0", "||"},
		"an entry for a tunnel": {map[string]any{"allowUpgrades": "CONNECT"}, "HTTP/2.0", "||"},
	} {
		r := httptest.NewRequest("GET", "/ok", nil)
		r.Method, r.Proto, r.ProtoMajor = http.MethodConnect, c.proto, 2
		if got := passedOn(t, New, c.config, r); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
