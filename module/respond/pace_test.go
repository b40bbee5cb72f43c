package respond

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestAPaceGrantsNoMoreThanItsBytesPerSecond(t *testing.T) {
	p, now := &pace{perSecond: 1000}, time.Unix(1, 0)
	for i := range 10 {
		if got, want := p.grant(500, now), time.Duration(i)*500*time.Millisecond; got != want {
			t.Fatalf("grant %d waits %v, want %v", i, got, want)
		}
	}
	if got := p.grant(500, now.Add(time.Hour)); got != 0 {
		t.Errorf("waits %v after a pause", got)
	}
	if got := p.grant(500, now.Add(time.Hour)); got != 500*time.Millisecond {
		t.Errorf("a pause is saved up: waits %v", got)
	}
}

// TestStreamsShareOneRate has a rate at which two clients together get one piece in an hour.
func TestStreamsShareOneRate(t *testing.T) {
	whole := streamPace
	t.Cleanup(func() { streamPace = whole })
	answer, stop := heldSite(t, `{"mode":"infinite_stream","max_response_seconds":3600}`)
	streamPace = &pace{perSecond: chunkBytes / 3600}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, &Blocked{}) }))
	t.Cleanup(server.Close)
	pieces := make(chan int64, 2)
	for range cap(pieces) {
		go func() {
			response, err := http.Get(server.URL)
			if err != nil {
				pieces <- 0
				return
			}
			defer response.Body.Close()
			n, _ := io.Copy(io.Discard, response.Body)
			pieces <- n / chunkBytes
		}()
	}
	until(t, "both streams wait", func() bool { return heldNow() == 2 && streamPace.grant(0, time.Now()) > time.Hour })
	stop()
	if total := <-pieces + <-pieces; total > 1 {
		t.Errorf("%d pieces were sent", total)
	}
}
