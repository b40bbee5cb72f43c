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

// errBusy is the error of a request for which there is no place.
var errBusy = errors.New("too many requests wait for the guard")

// semaphore bounds how many evaluations that may take long run at once. A bounded number of others wait, so that one
// processor is left for other requests.
type semaphore struct{ taken, queue chan bool }

// Shared by all guards: slots for evaluations, and places for requests with a body. A place is taken before the body is
// read, so that the bodies in memory are bounded; a slot after, so that a client that sends slowly does not hold it.
var (
	slots  = newSemaphore(runtime.GOMAXPROCS(0)-1, limits.SlotQueue)
	places = newSemaphore(limits.BodyReads, 0)
)

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
