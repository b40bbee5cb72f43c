package guard

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// withErrorRoutes starts a site whose error routes lead to the backend, like `handle_errors { reverse_proxy ... }`.
func withErrorRoutes(t *testing.T, keys string) *site {
	t.Helper()
	s := newSite(t)
	s.extra = `"errors": {"routes": [{"handle": [{"handler": "guard_test_backend"}]}]},`
	s.load(s.config(s.guardOf(keys)))
	return s
}

func (w *wire) refused(status int, retryAfter string) {
	w.t.Helper()
	got, header, body := w.answer("POST")
	if got != status || body != strings.TrimSpace(body)+"\n" || !strings.HasSuffix(body, http.StatusText(status)+"\n") {
		w.t.Errorf("got %d %q, want %d", got, body, status)
	}
	if header.Get("Retry-After") != retryAfter || header.Get("Cache-Control") != "no-store" {
		w.t.Errorf("%d: got %v", status, header)
	}
	if _, err := w.read.ReadByte(); err != io.EOF {
		w.t.Errorf("%d: the connection goes on: %v", status, err)
	}
}

func TestARequestWithoutAVerdictIsNotLeftToErrorRoutes(t *testing.T) {
	slots := withSlots(t, 1, 0)
	s := withErrorRoutes(t, longBodies)
	t.Run("busy", func(t *testing.T) {
		if err := slots.Acquire(context.Background()); err != nil {
			t.Fatal(err)
		}
		defer slots.Release()
		client := s.connect()
		client.send(post(form, strings.Repeat("c=%2e&", 200)))
		client.refused(http.StatusServiceUnavailable, "1")
	})
	t.Run("a body that cannot be read", func(t *testing.T) {
		client := s.connect()
		client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: " + form + "\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
		client.refused(http.StatusBadRequest, "")
	})
	t.Run("a fault of the engine", func(t *testing.T) {
		for _, g := range listGuards() {
			g.inspector.Rules = nil
		}
		client := s.connect()
		client.send(post(form, "a=1"))
		client.refused(http.StatusInternalServerError, "")
	})
}
