//go:build !race

// The race detector makes sync.Pool drop items at random, so allocations are counted without it.

package guard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

var nothing = caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { return nil })

// clean returns a request in the form that Caddy passes to its handlers, with the headers of a browser behind a proxy.
func clean(target string) (http.ResponseWriter, *http.Request) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", target, nil)
	r.RemoteAddr = "203.0.113.9:40000"
	for name, value := range map[string]string{
		"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101", "Accept": "text/html", "Accept-Language": "en", "Accept-Encoding": "gzip, br",
		"X-Forwarded-For": "198.51.100.7", "Cookie": "session=0123456789abcdef",
	} {
		r.Header.Set(name, value)
	}
	return w, caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, nil)
}

// policies lists policies by name. With each of them, an ordinary request must not allocate memory.
var policies = map[string]string{
	"defaults":          ``,
	"every address set": `"allowed_ips": ["192.0.2.0/24", "2001:db8::/32"], "trusted_proxies": ["10.0.0.0/8"]`,
	"body not sent":     `"check_body": true`,
	"not inspected":     `"methods": ["POST"]`,
	"disabled":          `"enabled": false`,
	"captcha":           `"response": {"mode": "captcha", "captcha": {"provider": "hcaptcha", "site_key": "k", "secret_key": "s"}}`,
}

func TestAnOrdinaryRequestAllocatesNothing(t *testing.T) {
	policies["a ban list"] = fmt.Sprintf(`"ban_list": {"file": %q}`, banFile(t, "192.0.2.1"))
	for name, keys := range policies {
		g := provisioned(t, keys)
		w, r := clean("/assets/app.3f2a.css")
		if n := testing.AllocsPerRun(1000, func() { _ = g.ServeHTTP(w, r, nothing) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkServeHTTP(b *testing.B) {
	for name, target := range map[string]string{"clean": "/assets/app.3f2a.css", "query": "/search?q=guard&page=2", "encoded": "/caf%C3%A9/men%C3%BC"} {
		b.Run(name, func(b *testing.B) {
			g := provisioned(b, ``)
			w, r := clean(target)
			b.ReportAllocs()
			for b.Loop() {
				_ = g.ServeHTTP(w, r, nothing)
			}
		})
	}
}
