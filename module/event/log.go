package event

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/request-guard/guard/background"
)

// Log writes event lines to one destination, each with a single Write. Safe for concurrent use.
// Lines beyond the budget are counted and reported by one guard_block_summary line a second.
type Log struct {
	gateway string
	out     io.Writer
	budget  *Budget
	now     func() time.Time
	after   func(time.Duration, func())

	mu         sync.Mutex
	suppressed int
	scheduled  bool // a timer will write the summary
}

// NewLog makes a log of gateway ("caddy", "traefik") that writes to out.
func NewLog(gateway string, out io.Writer, budget *Budget) *Log {
	return &Log{
		gateway: gateway,
		out:     out,
		budget:  budget,
		now:     time.Now,
		after:   background.After,
	}
}

// Write sets the time of the event and writes its line, or counts it when the budget of this second is spent.
func (l *Log) Write(e *Event) error {
	e.Time = l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.budget.take(e.Time) {
		l.suppress(e.Time)
		return nil
	}
	var late error
	if !l.scheduled {
		late = l.summarize()
	}
	_, err := l.out.Write(e.Line(l.gateway))
	if err == nil {
		err = late
	}
	return err
}

// suppress counts one event. The first one of a second schedules the summary for the end of that second.
func (l *Log) suppress(now time.Time) {
	l.suppressed++
	if l.scheduled {
		return
	}
	l.scheduled = true
	l.after(now.Truncate(time.Second).Add(time.Second).Sub(now), func() { _ = l.Flush() })
}

// Flush writes the summary of the suppressed events, if there are any.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduled = false
	return l.summarize()
}

// summarize keeps the count where it cannot be written; the next event then tries again, and reports a failure.
func (l *Log) summarize() error {
	if l.suppressed == 0 {
		return nil
	}
	_, err := fmt.Fprintf(l.out, "{\"type\":\"guard_block_summary\",\"timestamp\":\"%s\",\"gateway\":\"%s\",\"count\":%d}\n",
		l.now().UTC().Format(timestampFormat), l.gateway, l.suppressed)
	if err == nil {
		l.suppressed = 0
	}
	return err
}
