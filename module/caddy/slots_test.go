package guard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/request-guard/guard/host"
)

func withSlots(t *testing.T, count, queue int) *host.Slots {
	t.Helper()
	whole := slots
	slots = host.NewSlots(count, queue)
	t.Cleanup(func() { slots = whole })
	return slots
}

const (
	form       = "application/x-www-form-urlencoded"
	longBodies = `"methods": ["*"], "check_body": true`
)

func long() *http.Request {
	return request("POST", "/a", form, strings.NewReader(strings.Repeat("c=%2e&", 200)))
}

func TestAShortRequestDoesNotWaitForLongOnes(t *testing.T) {
	slots := withSlots(t, 1, 1)
	g := provisioned(t, longBodies)
	if err := slots.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan int)
	go func() { waiting <- serve(t, g, long()) }()
	until(t, "waiting", func() bool { return slots.Waiting() == 1 })
	if got := serve(t, g, request("POST", "/a", form, strings.NewReader("c=%2e"))); got != http.StatusAccepted {
		t.Errorf("a short one: %d", got)
	}
	slots.Release()
	if got := <-waiting; got != http.StatusAccepted {
		t.Errorf("a long one: %d", got)
	}
}

func TestALongRequestThatFindsTheQueueFullIsRefused(t *testing.T) {
	slots := withSlots(t, 1, 0)
	if err := slots.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	err := provisioned(t, longBodies).ServeHTTP(w, long(), passed)
	if err != nil || w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
		t.Errorf("got %v, %d %v", err, w.Code, w.Header())
	}
	if got := serve(t, provisioned(t, longBodies+`, "mode": "detect"`), long()); got != http.StatusAccepted {
		t.Errorf("a guard that only detects: %d", got)
	}
}
