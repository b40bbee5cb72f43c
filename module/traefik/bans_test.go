package traefik

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/internal/banfile"
	"github.com/request-guard/guard/policy"
)

// banFile writes a list with one banned address.
func banFile(t *testing.T, address string) string {
	t.Helper()
	path, now := filepath.Join(t.TempDir(), "bans"), time.Now().Unix()
	text := banfile.Text(now, banfile.Range{Start: address, End: address, Until: now + 3600})
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// listWith returns a list with one banned address, and its mode of response.
func listWith(t *testing.T, address, mode string) map[string]any {
	return map[string]any{"file": banFile(t, address), "response": map[string]any{"mode": mode, "headers": map[string]any{"X-Banned": "yes"}}}
}

func TestEveryModeForBannedClients(t *testing.T) {
	for _, mode := range policy.Modes {
		if mode.Name == "silent_drop" || mode.Name == "captcha" { // the first sends nothing, and a list cannot have the second
			continue
		}
		for variant, construct := range map[string]constructor{"interpreted": New, "compiled": NewCompiled} {
			t.Run(mode.Name+" "+variant, func(t *testing.T) {
				t.Parallel()
				list := listWith(t, "192.0.2.1", mode.Name)
				for key, value := range map[string]any{
					"proxyUrl": "http://127.0.0.1:9", "gzipBombMb": 1, "streamSizeMb": 1, "tarpitDelayMs": 10, "tarpitMaxDurationSeconds": 1,
				} {
					list["response"].(map[string]any)[key] = value
				}
				h, err := construct(context.Background(), http.NotFoundHandler(), &Config{"securityLog": false, "banList": list, "response": captchaResponse()}, "test")
				if err != nil {
					t.Fatal(err)
				}
				w, want := httptest.NewRecorder(), mode.StatusCode
				if mode.Name == "proxy" {
					want = http.StatusBadGateway // no server is there
				}
				h.ServeHTTP(w, httptest.NewRequest("DELETE", "/", nil))
				if w.Code != want || mode.Name != "proxy" && w.Header().Get("X-Banned") != "yes" {
					t.Errorf("got %d %v, want %d", w.Code, w.Header(), want)
				}
			})
		}
	}
}

func TestWhoIsBanned(t *testing.T) {
	for name, c := range map[string]struct {
		config map[string]any
		method string
		target string
		client string // in X-Forwarded-For
		want   int
	}{
		"a banned client":              {map[string]any{}, "GET", "/", "", 403},
		"with another method":          {map[string]any{}, "DELETE", "/", "", 403},
		"with a query":                 {map[string]any{"checkQuery": true}, "GET", "/?a=b", "", 403},
		"with a header":                {map[string]any{"checkHeaders": []any{"X-Original-URL"}}, "GET", "/", "", 403},
		"with a body":                  {map[string]any{"checkBody": true}, "POST", "/", "", 403},
		"an allow rule":                {map[string]any{"allowPatterns": []any{"."}}, "GET", "/", "", 403},
		"the response of the policy":   {map[string]any{"response": map[string]any{"mode": "ratelimit"}}, "GET", "/", "", 429},
		"a block of another client":    {map[string]any{"banList": listWith(t, "192.0.2.9", "ratelimit")}, "GET", "/.env", "", 403},
		"the response of the list":     {map[string]any{"banList": listWith(t, "192.0.2.1", "ratelimit")}, "GET", "/", "", 429},
		"and a captcha":                {map[string]any{"banList": listWith(t, "192.0.2.1", "redirect"), "response": captchaResponse()}, "GET", "/", "", 302},
		"instead of a captcha":         {map[string]any{"response": captchaResponse()}, "GET", "/", "", 403},
		"the path of a captcha":        {map[string]any{"response": captchaResponse()}, "POST", "/.guard/captcha", "", 403},
		"an allowed client":            {map[string]any{"allowedIps": []any{"192.0.2.0/24"}}, "GET", "/", "", 200},
		"only detected":                {map[string]any{"mode": host.ModeDetect}, "GET", "/", "", 200},
		"not enabled":                  {map[string]any{"enabled": false}, "GET", "/", "", 200},
		"a header that does not count": {map[string]any{}, "GET", "/", "198.51.100.1", 403},
		"behind a trusted proxy":       {map[string]any{"trustedProxies": []any{"192.0.2.1"}}, "GET", "/", "198.51.100.1", 200},
	} {
		for variant, construct := range map[string]constructor{"interpreted": New, "compiled": NewCompiled} {
			config := Config{"securityLog": false, "banList": map[string]any{"file": banFile(t, "192.0.2.1")}}
			for key, value := range c.config {
				config[key] = value
			}
			h, err := construct(context.Background(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), &config, "test")
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(c.method, c.target, nil)
			if c.client != "" {
				r.Header.Set("X-Forwarded-For", c.client)
			}
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != c.want {
				t.Errorf("%s, %s: got %d, want %d", name, variant, w.Code, c.want)
			}
		}
	}
}

func captchaResponse() map[string]any {
	return map[string]any{"mode": "captcha", "captcha": map[string]any{"provider": "turnstile", "siteKey": "key", "secretKey": "secret"}}
}

// TestARequestFindsANewList waits until a request is refused after the file was replaced.
func TestARequestFindsANewList(t *testing.T) {
	path := banFile(t, "203.0.113.1")
	config := Config{"securityLog": false, "banList": map[string]any{"file": path}}
	h, err := New(context.Background(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), &config, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(banFile(t, "192.0.2.1"), path); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil)); w.Code == http.StatusForbidden {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the client is still served")
		}
	}
}

func TestTheBanListAllocatesNothing(t *testing.T) {
	config := Config{"securityLog": false, "banList": map[string]any{"file": banFile(t, "203.0.113.1")}}
	h, err := NewCompiled(context.Background(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), &config, "test")
	if err != nil {
		t.Fatal(err)
	}
	gate, _ := h.(*banGate)
	gate.next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	if n := testing.AllocsPerRun(100, func() { gate.ServeHTTP(w, r) }); n > 0.1 { // each second a look allocates
		t.Errorf("%v allocations", n)
	}
}

// TestARememberedClientIsForgottenWithItsList bans a client that was clean, also while no request needs the list.
func TestARememberedClientIsForgottenWithItsList(t *testing.T) {
	path := banFile(t, "203.0.113.1")
	h, err := New(context.Background(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		&Config{"securityLog": false, "banList": map[string]any{"file": path}}, "test")
	if err != nil {
		t.Fatal(err)
	}
	gate, _ := h.(*rememberingGate)
	table := gate.guard.bans.Table()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	if _, isClean := gate.clean.Load("192.0.2.1:"); !isClean {
		t.Fatal("the client is not remembered")
	}
	if err := os.Rename(banFile(t, "192.0.2.1"), path); err != nil {
		t.Fatal(err)
	}
	isKnown := true
	for deadline := time.Now().Add(time.Minute); isKnown; time.Sleep(time.Millisecond) {
		if _, isKnown = gate.clean.Load("192.0.2.1:"); isKnown && time.Now().After(deadline) {
			t.Fatal("the client is still remembered")
		}
	}
	for deadline := time.Now().Add(time.Minute); gate.guard.bans.Table() == table; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the list is not read")
		}
	}
	gate.remember(table, "192.0.2.1:") // as a request does that began with the old list
	again := httptest.NewRecorder()
	if h.ServeHTTP(again, httptest.NewRequest("GET", "/", nil)); again.Code != http.StatusForbidden {
		t.Errorf("got %d, want 403", again.Code)
	}
}

// TestRememberedClientsStayApart sends clean clients before and between requests of a banned one, also more than are remembered.
func TestRememberedClientsStayApart(t *testing.T) {
	config := Config{"securityLog": false, "trustedProxies": []any{"198.51.100.0/24"},
		"banList": map[string]any{"file": banFile(t, "192.0.2.1")}}
	h, err := New(context.Background(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), &config, "test")
	if err != nil {
		t.Fatal(err)
	}
	get := func(peer string, forwarded ...string) int {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = peer
		r.Header["X-Forwarded-For"] = forwarded
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	for i := range mostCleanClients + 10 {
		clean := fmt.Sprintf("203.0.%d.%d", i>>8, i&255)
		if got := get("198.51.100.1:80", clean); got != http.StatusOK {
			t.Fatalf("%s: got %d", clean, got)
		}
	}
	for range 2 {
		for _, c := range []struct {
			peer      string
			forwarded []string
			want      int
		}{
			{"198.51.100.1:80", []string{"203.0.113.1"}, 200},
			{"198.51.100.1:81", []string{"192.0.2.1"}, 403},
			{"198.51.100.1:80", []string{"203.0.113.1", "192.0.2.1"}, 403},
			{"198.51.100.1:80", []string{"192.0.2.1", "203.0.113.1"}, 200},
			{"198.51.100.1:80", nil, 200},
			{"192.0.2.1:80", []string{"203.0.113.1"}, 403},
			{"192.0.2.2:80", []string{"192.0.2.1"}, 200},
			{"@", nil, 200},
		} {
			if got := get(c.peer, c.forwarded...); got != c.want {
				t.Errorf("%s %v: got %d, want %d", c.peer, c.forwarded, got, c.want)
			}
		}
	}
	if gate, _ := h.(*rememberingGate); gate.used.Load() > mostCleanClients {
		t.Error("too many clients are remembered")
	}
}
