package traefik

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// withOthers replaces a semaphore of all guards for a test.
func withOthers(t *testing.T, shared **semaphore, other *semaphore) *semaphore {
	t.Helper()
	whole := *shared
	*shared = other
	t.Cleanup(func() { *shared = whole })
	return other
}

func isBusy(answer string) bool {
	return strings.HasPrefix(answer, "HTTP/1.1 503 ") && strings.Contains(answer, "\r\nRetry-After: 1\r\n")
}

func long() string { return "GET /a?" + strings.Repeat("c=%2e&", 200) + " HTTP/1.1" }

func TestALongRequestThatFindsTheQueueFullIsRefused(t *testing.T) {
	slots := withOthers(t, &slots, newSemaphore(1, 1))
	s := serve(t, map[string]any{"checkQuery": true})
	if err := slots.take(context.Background()); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan string)
	go func() { waiting <- exchange(t, s, long()) }()
	for len(slots.queue) == 0 {
		runtime.Gosched()
	}
	if got := exchange(t, s, long()); !isBusy(got) {
		t.Errorf("got %.80q", got)
	}
	slots.release()
	if got := <-waiting; !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("the one that waited: %.80q", got)
	}
	if got := exchange(t, s, long()); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("afterwards: %.80q", got)
	}
}

func TestAGuardThatOnlyDetectsRefusesNoOne(t *testing.T) {
	slots := withOthers(t, &slots, newSemaphore(1, 0))
	s := serve(t, map[string]any{"checkQuery": true, "mode": "detect"})
	if err := slots.take(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := exchange(t, s, long()); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("got %.80q", got)
	}
}

// post sends the head of a form and a part of its body.
func post(t *testing.T, s *httptest.Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_, err = io.WriteString(c, "POST /a HTTP/1.1\r\nHost: x.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 2000\r\n\r\na=")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestASlowBodyHoldsAPlaceAndNoSlot has one client that does not send its body: another one with a body finds no place,
// and a long request without one is evaluated.
func TestASlowBodyHoldsAPlaceAndNoSlot(t *testing.T) {
	places := withOthers(t, &places, newSemaphore(1, 0))
	withOthers(t, &slots, newSemaphore(1, 0))
	s := serve(t, map[string]any{"checkQuery": true, "checkBody": true, "methods": "*"})
	slow := post(t, s)
	for len(places.taken) == 0 {
		runtime.Gosched()
	}
	if got := exchange(t, s, long()); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("without a body: %.80q", got)
	}
	answer, err := http.ReadResponse(bufio.NewReader(post(t, s)), nil)
	if err != nil || answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") != "1" {
		t.Errorf("a second body: %v, %v", answer, err)
	}
	if _, err := io.WriteString(slow, strings.Repeat("b", 1998)); err != nil {
		t.Fatal(err)
	}
	if answer, err := http.ReadResponse(bufio.NewReader(slow), nil); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("the first body: %v, %v", answer, err)
	}
}
