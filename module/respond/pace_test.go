package respond

import (
	"context"
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

// TestStreamsAndBombsShareOneRate uses a rate at which two clients together get one piece in an hour.
func TestStreamsAndBombsShareOneRate(t *testing.T) {
	for _, response := range []string{`{"mode":"infinite_stream","max_response_seconds":3600}`, `{"mode":"gzip_bomb","gzip_bomb_mb":1024,"max_response_seconds":3600}`} {
		t.Run(response, func(t *testing.T) { sharesOneRate(t, response) })
	}
}

func sharesOneRate(t *testing.T, response string) {
	whole := streamPace
	t.Cleanup(func() { streamPace = whole })
	answer, stop := heldSite(t, response)
	streamPace = &pace{perSecond: chunkBytes / 3600}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, &Blocked{}) }))
	t.Cleanup(server.Close)
	pieces := make(chan int64, 2)
	for range cap(pieces) {
		go func() {
			r, _ := http.NewRequest(http.MethodGet, server.URL, nil)
			r.Header.Set("Accept-Encoding", "identity") // otherwise the client inflates the body
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				pieces <- 0
				return
			}
			defer response.Body.Close()
			n, _ := io.Copy(io.Discard, response.Body)
			pieces <- n / chunkBytes
		}()
	}
	until(t, "both responses wait", func() bool { return heldNow() == 2 && streamPace.grant(0, time.Now()) > time.Hour })
	stop()
	if total := <-pieces + <-pieces; total > 1 {
		t.Errorf("%d pieces were sent", total)
	}
}

func TestAStreamThatEndsReturnsTheTimeOfThePieceThatItWaitsFor(t *testing.T) {
	whole := streamPace
	t.Cleanup(func() { streamPace = whole })
	answer, _ := heldSite(t, `{"mode":"infinite_stream","max_response_seconds":3600}`)
	const pieceTime = chunkBytes * time.Second
	streamPace = &pace{perSecond: 1}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, &Blocked{}) }))
	t.Cleanup(server.Close)
	reserved := func() time.Duration { return streamPace.grant(0, time.Now()) }
	stream := func() (leave func()) {
		ctx, leave := context.WithCancel(context.Background())
		t.Cleanup(leave)
		go func() {
			r, _ := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			if response, err := http.DefaultClient.Do(r); err == nil {
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
		}()
		return leave
	}
	stream()
	until(t, "one piece is sent and the next one waits", func() bool { return reserved() > pieceTime })
	leave := stream()
	until(t, "the second stream waits", func() bool { return reserved() > 2*pieceTime })
	leave()
	until(t, "the second stream ends", func() bool { return heldNow() == 1 })
	if got := reserved(); got > 2*pieceTime {
		t.Errorf("%v are reserved", got)
	}
}
