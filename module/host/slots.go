package host

import (
	"context"
	"errors"
	"runtime"

	"github.com/request-guard/guard/engine"
)

// longBytes is the length of a request from which an evaluation can take long: tens of milliseconds where it is interpreted.
const longBytes = 1024

// isLong reports whether the evaluation of a request may take long.
func (i *Inspector) isLong(q *engine.Request) bool {
	return len(q.Target)+len(q.Body) > longBytes || len(i.Policy.CheckHeaders) > 0 && i.Rules.InspectsAny(q.Header)
}

// ErrBusy is the error of a request that finds the queue of Slots full.
var ErrBusy = errors.New("too many requests wait for the guard")

// Slots bound how many evaluations that may take long run at once. A bounded number of others wait, so that one processor
// is left for other requests. A slot is taken after the body was read, so that a client that sends slowly keeps no other
// request out.
type Slots struct{ taken, queue chan bool }

// ProcessorSlots makes slots for all processors but one, and at least one.
func ProcessorSlots(queue int) *Slots {
	count := runtime.GOMAXPROCS(0) - 1
	if count < 1 {
		count = 1
	}
	return NewSlots(count, queue)
}

// NewSlots makes count slots and a queue.
func NewSlots(count, queue int) *Slots {
	return &Slots{taken: make(chan bool, count), queue: make(chan bool, queue)}
}

// Take waits for a slot. It returns an error when the queue is full or the client leaves first.
func (s *Slots) Take(ctx context.Context) error {
	select {
	case s.taken <- true:
		return nil
	default:
	}
	select {
	case s.queue <- true:
	default:
		return ErrBusy
	}
	defer s.leaveQueue()
	select {
	case s.taken <- true:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Slots) leaveQueue() { <-s.queue }

// Release gives a slot back.
func (s *Slots) Release() { <-s.taken }

// Waiting returns the length of the queue.
func (s *Slots) Waiting() int { return len(s.queue) }
