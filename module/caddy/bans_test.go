package guard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/request-guard/guard/internal/banfile"
	"github.com/request-guard/guard/policy"
)

// banFile writes a list with one banned address.
func banFile(t testing.TB, address string) string {
	t.Helper()
	path, now := filepath.Join(t.TempDir(), "bans"), time.Now().Unix()
	text := banfile.Text(now, banfile.Range{Start: address, End: address, Until: now + 3600})
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const captchaKeys = `, "response": {"mode": "captcha", "captcha": {"provider": "turnstile", "site_key": "k", "secret_key": "s"}}`

func TestWhoIsBanned(t *testing.T) {
	for name, c := range map[string]struct {
		keys, method, target string
		client               string // in X-Forwarded-For
		want                 int
	}{
		"a banned client":              {``, "GET", "/", "", 403},
		"with another method":          {``, "DELETE", "/", "", 403},
		"an allow rule":                {`, "allow_patterns": ["."]`, "GET", "/", "", 403},
		"the response of the policy":   {`, "response": {"mode": "ratelimit"}`, "GET", "/", "", 429},
		"instead of a captcha":         {captchaKeys, "GET", "/", "", 403},
		"the path of a captcha":        {captchaKeys, "POST", "/.guard/captcha", "", 403},
		"an allowed client":            {`, "allowed_ips": ["192.0.2.0/24"]`, "GET", "/", "", 202},
		"only detected":                {`, "mode": "detect"`, "GET", "/", "", 202},
		"not enabled":                  {`, "enabled": false`, "GET", "/", "", 202},
		"a header that does not count": {``, "GET", "/", "198.51.100.1", 403},
		"behind a trusted proxy":       {`, "trusted_proxies": ["192.0.2.1"]`, "GET", "/", "198.51.100.1", 202},
	} {
		g := provisioned(t, fmt.Sprintf(`"security_log": false, "ban_list": {"file": %q}`, banFile(t, "192.0.2.1"))+c.keys)
		r := httptest.NewRequest(c.method, c.target, nil)
		if c.client != "" {
			r.Header.Set("X-Forwarded-For", c.client)
		}
		if got := serve(t, g, r); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

// shortOptions make the modes that hold short.
var shortOptions = map[string]string{
	"proxy": `, "proxy_url": "http://127.0.0.1:9"`, "gzip_bomb": `, "gzip_bomb_mb": 1`, "infinite_stream": `, "stream_size_mb": 1`,
	"tarpit": `, "tarpit_delay_ms": 10, "tarpit_max_duration_seconds": 1`,
}

func TestEveryModeForBannedClients(t *testing.T) {
	for _, mode := range policy.Modes {
		if mode.Name == "silent_drop" || mode.Name == "captcha" { // the first sends nothing, and a list cannot have the second
			continue
		}
		t.Run(mode.Name, func(t *testing.T) {
			t.Parallel()
			response := fmt.Sprintf(`{"mode": %q, "headers": {"X-Banned": "yes"}%s}`, mode.Name, shortOptions[mode.Name])
			g := provisioned(t, fmt.Sprintf(`"security_log": false, "ban_list": {"file": %q, "response": %s}%s`, banFile(t, "192.0.2.1"), response, captchaKeys))
			w, want := httptest.NewRecorder(), mode.StatusCode
			if mode.Name == "proxy" {
				want = http.StatusBadGateway // no server is there
			}
			if err := g.ServeHTTP(w, httptest.NewRequest("DELETE", "/", nil), passed); err != nil {
				t.Fatal(err)
			}
			if w.Code != want || mode.Name != "proxy" && w.Header().Get("X-Banned") != "yes" {
				t.Errorf("got %d %v, want %d", w.Code, w.Header(), want)
			}
			if action := g.counts.banned; action != mode.Name {
				t.Errorf("counted as %s", action)
			}
		})
	}
}

func TestTheResponseOfAListIsNotForOthers(t *testing.T) {
	g := provisioned(t, fmt.Sprintf(`"security_log": false, "ban_list": {"file": %q, "response": {"mode": "ratelimit"}}`, banFile(t, "192.0.2.9")))
	if got := serve(t, g, httptest.NewRequest("GET", "/.env", nil)); got != http.StatusForbidden {
		t.Errorf("got %d", got)
	}
}

// TestANewListIsInForce waits until a request is refused after the file was replaced.
func TestANewListIsInForce(t *testing.T) {
	path := banFile(t, "203.0.113.1")
	g := provisioned(t, fmt.Sprintf(`"security_log": false, "ban_list": {"file": %q}`, path))
	if err := os.Rename(banFile(t, "192.0.2.1"), path); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); serve(t, g, httptest.NewRequest("GET", "/", nil)) != http.StatusForbidden; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the client is still served")
		}
	}
}

func TestAListIsReadWhileAGuardUsesIt(t *testing.T) {
	keys := fmt.Sprintf(`"ban_list": {"file": %q}`, banFile(t, "192.0.2.1"))
	one, two := provisioned(t, keys), provisioned(t, keys)
	if one.bans != two.bans {
		t.Error("there are two lists of one file")
	}
	_ = one.Cleanup()
	select {
	case <-two.bans.stopped:
		t.Error("a guard has no list any more")
	default:
	}
	_ = two.Cleanup()
	<-two.bans.stopped
	one.bans, two.bans, one.rules, two.rules, one.events, two.events, one.stop, two.stop = nil, nil, nil, nil, nil, nil, nil, nil // both are cleaned up again
}
