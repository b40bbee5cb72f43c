package traefik

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/request-guard/guard/host"
)

func withSlots(t *testing.T, count, queue int) *host.Slots {
	t.Helper()
	whole := plugin.slots
	plugin.slots = host.NewSlots(count, queue)
	t.Cleanup(func() { plugin.slots = whole })
	return plugin.slots
}

func isBusy(answer string) bool {
	return strings.HasPrefix(answer, "HTTP/1.1 503 ") && strings.Contains(answer, "\r\nRetry-After: 1\r\n")
}

func long() string { return "GET /a?" + strings.Repeat("c=%2e&", 200) + " HTTP/1.1" }

func TestAShortRequestDoesNotWaitForLongOnes(t *testing.T) {
	slots := withSlots(t, 1, 1)
	s := serve(t, map[string]any{"checkQuery": true})
	if err := slots.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan string)
	go func() { waiting <- status(t, s, "/a?"+strings.Repeat("b=%2e&", 200)+"c=../../etc/passwd") }()
	for slots.Waiting() == 0 {
		runtime.Gosched()
	}
	if got := status(t, s, "/?x=../../etc/passwd"); got != "403 Forbidden" {
		t.Errorf("a short one: %s", got)
	}
	slots.Release()
	if got := <-waiting; got != "403 Forbidden" {
		t.Errorf("a long one: %s", got)
	}
}

func TestALongRequestThatFindsTheQueueFullIsRefused(t *testing.T) {
	slots := withSlots(t, 1, 1)
	s := serve(t, map[string]any{"checkQuery": true})
	if err := slots.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan string)
	go func() { waiting <- exchange(t, s, long()) }()
	for slots.Waiting() == 0 {
		runtime.Gosched()
	}
	if got := exchange(t, s, long()); !isBusy(got) {
		t.Errorf("got %.80q", got)
	}
	slots.Release()
	if got := <-waiting; !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("the one that waited: %.80q", got)
	}
	if got := exchange(t, s, long()); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("afterwards: %.80q", got)
	}
}

func TestAGuardThatOnlyDetectsRefusesNoOne(t *testing.T) {
	slots := withSlots(t, 1, 0)
	s := serve(t, map[string]any{"checkQuery": true, "mode": "detect"})
	if err := slots.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := exchange(t, s, long()); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("got %.80q", got)
	}
}

// TestAFloodOfHeadersIsSearchedInASlot inspects a header whose name has too many spellings to look up each.
func TestAFloodOfHeadersIsSearchedInASlot(t *testing.T) {
	slots := withSlots(t, 1, 0)
	searched := serve(t, map[string]any{"checkHeaders": []any{"X-A-B-C-D-E-F"}})
	lookedUp := serve(t, map[string]any{"checkHeaders": []any{"X-Original-URL"}})
	if err := slots.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	request := func(headers int) string {
		var lines strings.Builder
		for i := range headers {
			fmt.Fprintf(&lines, "\r\nX-%d: /.env", i)
		}
		return "GET / HTTP/1.1" + lines.String()
	}
	if got := exchange(t, searched, request(100)); !isBusy(got) {
		t.Errorf("many: %.80q", got)
	}
	if got := exchange(t, searched, request(10)); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("few: %.80q", got)
	}
	if got := exchange(t, lookedUp, request(100)); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("looked up: %.80q", got)
	}
}

// slowSenders is the number of clients that withhold a body. It exceeds limits.InterpretedSlotQueue, which
// bounds the requests that wait for a slot of the plugin.
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
	withSlots(t, 1, 0)
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
