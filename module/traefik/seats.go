package traefik

import (
	"context"
	"runtime"

	"github.com/request-guard/guard/engine"
)

// longBytes is the length from which strangers can make an interpreted evaluation take tens of milliseconds.
const longBytes = 1024

// isLong says that the evaluation of a request may take long.
func (g *guard) isLong(q *engine.Request) bool {
	return len(q.Target)+len(q.Body) > longBytes || len(g.policy.CheckHeaders) > 0 && g.rules.InspectsAny(q.Header)
}

// room bounds how many evaluations that may take long run at once. The others wait in line, so that a processor is left for
// the rest of the traffic.
type room struct{ taken chan bool }

// seats is shared by all guards.
var seats = newRoom(runtime.GOMAXPROCS(0) - 1)

// newRoom makes a room with some seats, one at least.
func newRoom(count int) *room {
	if count < 1 {
		count = 1
	}
	return &room{taken: make(chan bool, count)}
}

// take waits for a seat; the error says that the client has left before.
func (r *room) take(ctx context.Context) error {
	select {
	case r.taken <- true:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *room) leave() { <-r.taken }
