package guard

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// early returns a request in early data of HTTP/3, whose client address is not yet validated.
func early(target string) *http.Request {
	r := request("GET", target, "", nil)
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/3.0", 3, 0
	r.TLS = &tls.ConnectionState{}
	return r
}

func TestEarlyDataIsRefusedBeforeTheAddressCounts(t *testing.T) {
	s := captchaSite(t, `"allowed_ips": ["192.0.2.0/24"], `)
	var g *Guard
	for _, one := range listGuards() {
		g = one
	}
	for _, target := range []string{"/.env", "/clean", "/.guard/captcha"} {
		w := httptest.NewRecorder()
		if err := g.ServeHTTP(w, early(target), passed); err != nil || w.Code != http.StatusTooEarly || w.Body.String() != "425 Too Early\n" {
			t.Errorf("%s: got %v, %d %q", target, err, w.Code, w.Body)
		}
	}
	complete := early("/.env")
	complete.TLS.HandshakeComplete = true
	if got := serve(t, g, complete); got != http.StatusAccepted {
		t.Errorf("after the handshake: got %d", got)
	}
	if events, err := os.ReadFile(s.events); err != nil || len(events) > 0 {
		t.Errorf("events: %q, %v", events, err)
	}
}

func TestAGuardThatBlocksNothingPassesEarlyDataOn(t *testing.T) {
	for _, keys := range []string{`"mode": "detect"`, `"enabled": false`} {
		if got := serve(t, provisioned(t, keys), early("/.env")); got != http.StatusAccepted {
			t.Errorf("%s: got %d", keys, got)
		}
	}
}
