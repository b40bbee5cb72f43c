package traefik

import (
	"context"
	"errors"
	"runtime"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/limits"
)

// longBytes is the length of a request from which an interpreted evaluation can take tens of milliseconds.
const longBytes = 1024

// isLong reports whether the evaluation of a request may take long.
func (g *guard) isLong(q *engine.Request) bool {
	return len(q.Target)+len(q.Body) > longBytes || len(g.policy.CheckHeaders) > 0 && g.rules.InspectsAny(q.Header)
}

// errBusy is the error of a request that finds the queue full.
var errBusy = errors.New("too many requests wait for the guard")

// semaphore bounds how many evaluations that may take long run at once. A bounded number of others wait, so that one
// processor is left for other requests.
type semaphore struct{ taken, queue chan bool }

// slots are for evaluations, and shared by all guards. A slot is taken after the body was read, so that a client that sends
// slowly keeps no other request out.
var slots = newSemaphore(runtime.GOMAXPROCS(0)-1, limits.SlotQueue)

// newSemaphore makes a semaphore with count slots, at least one, and a queue.
func newSemaphore(count, queue int) *semaphore {
	if count < 1 {
		count = 1
	}
	return &semaphore{taken: make(chan bool, count), queue: make(chan bool, queue)}
}

// take waits for a slot. It returns an error when the queue is full or the client leaves first.
func (s *semaphore) take(ctx context.Context) error {
	select {
	case s.taken <- true:
		return nil
	default:
	}
	select {
	case s.queue <- true:
	default:
		return errBusy
	}
	defer s.leaveQueue()
	select {
	case s.taken <- true:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *semaphore) leaveQueue() { <-s.queue }

func (s *semaphore) release() { <-s.taken }
