package traefik

import (
	"context"
	"runtime"

	"github.com/request-guard/guard/engine"
)

// longBytes is the length of a request from which an interpreted evaluation can take tens of milliseconds.
const longBytes = 1024

// isLong reports whether the evaluation of a request may take long.
func (g *guard) isLong(q *engine.Request) bool {
	return len(q.Target)+len(q.Body) > longBytes || len(g.policy.CheckHeaders) > 0 && g.rules.InspectsAny(q.Header)
}

// semaphore bounds how many evaluations that may take long run at once. The others wait, so that one processor is left for
// other requests.
type semaphore struct{ taken chan bool }

// slots is shared by all guards.
var slots = newSemaphore(runtime.GOMAXPROCS(0) - 1)

// newSemaphore makes a semaphore with count slots, at least one.
func newSemaphore(count int) *semaphore {
	if count < 1 {
		count = 1
	}
	return &semaphore{taken: make(chan bool, count)}
}

// take waits for a slot. It returns an error when the client leaves first.
func (s *semaphore) take(ctx context.Context) error {
	select {
	case s.taken <- true:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *semaphore) release() { <-s.taken }
