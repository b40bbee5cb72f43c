package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func matcher(t *testing.T, keys string) *Match {
	t.Helper()
	m := new(Match)
	if err := json.Unmarshal([]byte("{"+keys+"}"), m); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := caddy.NewContext(caddy.Context{Context: context.Background()})
	t.Cleanup(cancel)
	t.Cleanup(func() { _ = m.Cleanup() })
	if err := m.Provision(ctx); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTheMatcherMatchesWhatAGuardWouldBlock(t *testing.T) {
	m := matcher(t, `"check_query": true, "check_body": true, "methods": ["GET", "POST"], "mode": "detect"`)
	form := "application/x-www-form-urlencoded"
	for _, test := range []struct {
		method, target, body string
		want                 bool
	}{
		{"GET", "/", "", false},
		{"GET", "/.env", "", true},
		{"PUT", "/.env", "", false},
		{"GET", "/?file=../../etc/passwd", "", true},
		{"POST", "/", "file=../../etc/passwd", true},
		{"POST", "/", "file=a.txt", false},
	} {
		r := request(test.method, test.target, form, strings.NewReader(test.body))
		if got, err := m.MatchWithError(r); err != nil || got != test.want {
			t.Errorf("%+v: got %v, %v", test, got, err)
		}
	}
}

func TestTheMatcherRefusesWhatHasNoVerdict(t *testing.T) {
	m := matcher(t, "")
	matched, err := m.MatchWithError(early("/"))
	var withStatus caddyhttp.HandlerError
	if matched || !errors.As(err, &withStatus) || withStatus.StatusCode != http.StatusTooEarly {
		t.Errorf("got %v, %v", matched, err)
	}
}

func TestTheMatcherInACaddyfile(t *testing.T) {
	site, adapter := newSite(t), caddyconfig.GetAdapter("caddyfile")
	_, port, _ := strings.Cut(site.address, ":")
	config, warnings, err := adapter.Adapt([]byte(fmt.Sprintf(`{
	admin off
}
http://:%s {
	bind 127.0.0.1
	@scanners guard {
		block_patterns ^/internal/
	}
	respond @scanners "{http.guard.rule}" 418
	respond passed
}
`, port)), nil)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	site.load(string(config))
	for target, want := range map[string]string{"/": "passed", "/.env": "env-file", "/internal/x": "block[0]"} {
		if got := site.bodyOf("GET " + target); got != want {
			t.Errorf("%s: got %q, want %q", target, got, want)
		}
	}
	if _, _, err := adapter.Adapt([]byte("http://a {\n\t@x guard {\n\t\tmetods GET\n\t}\n\trespond @x 404\n}"), nil); err == nil || !strings.Contains(err.Error(), `did you mean "methods"`) {
		t.Errorf("got %v", err)
	}
}
