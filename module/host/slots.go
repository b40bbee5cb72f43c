package host

import (
	"context"
	"errors"
	"runtime"

	"github.com/request-guard/guard/engine"
)

// longBytes is the total length of target and body above which an evaluation can take long: tens of milliseconds in the
// interpreter.
const longBytes = 1024

func (i *Inspector) isLong(q *engine.Request) bool {
	return len(q.Target)+len(q.Body) > longBytes || i.Rules.HasLongHeaders(q.Header)
}

// ErrBusy is the error of a request that finds the queue of Slots full.
var ErrBusy = errors.New("too many requests wait for the guard")

// Slots bounds how many long evaluations run at the same time. No slot is held while a body is read, so that a slow client does not
// occupy one.
type Slots struct{ running, queue chan bool }

// ProcessorSlots returns one slot for each processor but one, which stays available for other requests. It returns at least one
// slot.
func ProcessorSlots(queue int) *Slots {
	count := runtime.GOMAXPROCS(0) - 1
	if count < 1 {
		count = 1
	}
	return NewSlots(count, queue)
}

func NewSlots(count, queue int) *Slots {
	return &Slots{running: make(chan bool, count), queue: make(chan bool, queue)}
}

// Acquire waits for a slot. It returns an error if the queue is full or the client leaves first.
func (s *Slots) Acquire(ctx context.Context) error {
	select {
	case s.running <- true:
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
	case s.running <- true:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Slots) leaveQueue() { <-s.queue }

func (s *Slots) Release() { <-s.running }

func (s *Slots) Waiting() int { return len(s.queue) }
