package guard

import (
	"io"
	"net/http"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() { caddy.RegisterModule(echo{}) }

// echo is a handler that accepts an upgrade and returns the bytes of the client.
type echo struct{}

func (echo) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.guard_test_echo", New: func() caddy.Module { return new(echo) }}
}

func (echo) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if r.Header.Get("Upgrade") == "" {
		return next.ServeHTTP(w, r)
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"); err != nil {
		return err
	}
	_, err = io.Copy(conn, buffered)
	return err
}

// Bytes after an upgrade are not a body. A guard that waited for them would break every WebSocket.
func TestBytesBehindAnUpgradeAreNotABody(t *testing.T) {
	s := newSite(t)
	s.load(s.config(s.guardOf(bodies), `{"handler": "guard_test_echo"}`))
	client := s.connect()
	client.send("GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	if status, _, _ := client.answer("GET"); status != http.StatusSwitchingProtocols {
		t.Fatalf("got %d", status)
	}
	for _, text := range []string{"f=../../../etc/passwd", "\x00\xff"} {
		client.send(text)
		got := make([]byte, len(text))
		if _, err := io.ReadFull(client.read, got); err != nil || string(got) != text {
			t.Errorf("got %q and %v, want %q", got, err, text)
		}
	}
}
