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

// slowSenders are more than all bodies that any bound of the guard lets wait.
const slowSenders = 300

// post sends the head of a form, and waits until the guard reads its body.
func post(t *testing.T, s *httptest.Server) (c net.Conn, answers *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_, err = io.WriteString(c, "POST /a HTTP/1.1\r\nHost: x.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
		"Content-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	answers = bufio.NewReader(c)
	answer, err := http.ReadResponse(answers, nil)
	if err != nil || answer.StatusCode != http.StatusContinue {
		t.Fatalf("the guard does not read the body: %v, %v", answer, err)
	}
	return c, answers
}

// TestSlowBodiesKeepNoOtherRequestOut has many clients that do not send their bodies.
func TestSlowBodiesKeepNoOtherRequestOut(t *testing.T) {
	withOthers(t, &slots, newSemaphore(1, 0))
	s := serve(t, map[string]any{"checkQuery": true, "checkBody": true, "methods": "*"})
	for range slowSenders {
		post(t, s)
	}
	if got := exchange(t, s, long()); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("without a body: %.80q", got)
	}
	c, answers := post(t, s)
	if _, err := io.WriteString(c, strings.Repeat("b", 2000)); err != nil {
		t.Fatal(err)
	}
	if answer, err := http.ReadResponse(answers, nil); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("with a body: %v, %v", answer, err)
	}
}
