package event

import (
	"io"
	"sync"
	"time"

	"github.com/request-guard/guard/background"
)

// Log writes event lines, each with a single Write. A guard_block_summary line at the end of a second
// counts the events beyond the budget.
type Log struct {
	gateway string
	out     io.Writer
	budget  *Budget
	now     func() time.Time
	after   func(time.Duration, func())

	mu         sync.Mutex
	suppressed sum
	scheduled  bool // a timer will write the summary
}

// NewLog returns a log of gateway ("caddy", "traefik") that writes to out.
func NewLog(gateway string, out io.Writer, budget *Budget) *Log {
	return &Log{
		gateway: gateway,
		out:     out,
		budget:  budget,
		now:     time.Now,
		after:   background.After,
	}
}

// Write sets the time and the reference of the event and writes its line. Beyond the budget, it only counts the event.
func (l *Log) Write(e *Event) error {
	e.Time = l.now()
	e.Reference = ""
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.budget.spend(e.ClientIP, e.Time) {
		l.countSuppressed(e)
		return nil
	}
	var late error
	if !l.scheduled {
		late = l.summarize()
	}
	e.Reference = newReference()
	_, err := l.out.Write(e.Line(l.gateway))
	if err != nil {
		e.Reference = ""
		return err
	}
	return late
}

// countSuppressed counts an event without a line. The first one of a second schedules the summary for the end of that second.
func (l *Log) countSuppressed(e *Event) {
	l.suppressed.add(e)
	if l.scheduled {
		return
	}
	l.scheduled = true
	now := e.Time
	l.after(now.Truncate(time.Second).Add(time.Second).Sub(now), func() { _ = l.Flush() })
}

// Flush writes the pending summary, if there is one.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduled = false
	return l.summarize()
}

// summarize writes the pending summary. If that fails, it keeps the counts, so that the next event tries again.
func (l *Log) summarize() error {
	if l.suppressed.count == 0 {
		return nil
	}
	_, err := l.out.Write([]byte(l.suppressed.line(l.gateway, l.now())))
	if err == nil {
		l.suppressed = sum{}
	}
	return err
}
