package event

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/request-guard/guard/limits"
)

// writes records each Write separately.
type writes struct {
	lines []string
	err   error // returned by all writes
}

func (w *writes) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.lines = append(w.lines, string(p))
	return len(p), nil
}

// clocked is a log with a fixed time and with timers that the test fires.
type clocked struct {
	*Log
	out    *writes
	at     time.Time
	timers []func()
	waits  []time.Duration

	clients int
}

func newClocked(budget *Budget) *clocked {
	c := &clocked{out: &writes{}, at: time.Unix(1000, 250_000_000)}
	c.Log = NewLog("caddy", c.out, budget)
	c.Log.now = func() time.Time { return c.at }
	c.Log.after = func(d time.Duration, f func()) { c.waits, c.timers = append(c.waits, d), append(c.timers, f) }
	return c
}

// write writes n events, each of a new client.
func (c *clocked) write(t *testing.T, n int) {
	t.Helper()
	for range n {
		c.clients++
		c.writeOf(t, fmt.Sprintf("192.0.2.%d", c.clients), 1)
	}
}

// writeOf writes n events of a client.
func (c *clocked) writeOf(t *testing.T, client string, n int) {
	t.Helper()
	for range n {
		e := example()
		e.ClientIP = client
		if err := c.Write(e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEachEventIsOneWrite(t *testing.T) {
	c := newClocked(&Budget{PerSecond: 10})
	c.write(t, 3)
	if len(c.out.lines) != 3 || len(c.timers) != 0 {
		t.Fatalf("%d writes, %d timers", len(c.out.lines), len(c.timers))
	}
	for _, line := range c.out.lines {
		if !strings.HasSuffix(line, "}\n") || !strings.Contains(line, `"timestamp":"1970-01-01T00:16:40.250Z"`) {
			t.Errorf("got %q", line)
		}
	}
}

func TestAFloodIsSummarizedOnceASecond(t *testing.T) {
	c := newClocked(&Budget{PerSecond: 10})
	c.write(t, 35)
	if len(c.out.lines) != 10 || len(c.timers) != 1 || c.waits[0] != 750*time.Millisecond {
		t.Fatalf("%d lines, waits %v", len(c.out.lines), c.waits)
	}
	c.at = c.at.Add(750 * time.Millisecond)
	c.timers[0]()
	want := `{"type":"guard_block_summary","timestamp":"1970-01-01T00:16:41.000Z","gateway":"caddy","count":25,"clients":[`
	if got := c.out.lines[10]; !strings.HasPrefix(got, want) {
		t.Errorf("got %s want %s", got, want)
	}
	c.write(t, 12)
	if len(c.out.lines) != 21 || len(c.timers) != 2 {
		t.Errorf("%d lines, %d timers in the next second", len(c.out.lines), len(c.timers))
	}
}

func TestASummaryThatCannotBeWrittenPrecedesTheNextEvent(t *testing.T) {
	c := newClocked(&Budget{PerSecond: 10})
	c.write(t, 35)
	c.at, c.out.err = c.at.Add(time.Second), errFull
	c.timers[0]()
	if err := c.Write(example()); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	c.out.err = nil
	c.write(t, 2)
	if len(c.out.lines) != 13 || !strings.Contains(c.out.lines[10], `"count":25,"clients"`) {
		t.Errorf("%d lines: %q", len(c.out.lines), c.out.lines[10])
	}
	c.write(t, 12)
	if len(c.timers) != 2 {
		t.Errorf("%d timers", len(c.timers))
	}
}

func TestFlushWithoutSuppressedEventsWritesNothing(t *testing.T) {
	c := newClocked(&Budget{PerSecond: 10})
	c.write(t, 1)
	if err := c.Flush(); err != nil || len(c.out.lines) != 1 {
		t.Errorf("%v, %q", err, c.out.lines)
	}
}

func TestLogsShareTheBudgetOfTheProcess(t *testing.T) {
	budget := &Budget{PerSecond: 10}
	a, b := newClocked(budget), newClocked(budget)
	a.write(t, 6)
	b.write(t, 6)
	if len(a.out.lines) != 6 || len(b.out.lines) != 4 || len(b.timers) != 1 {
		t.Errorf("%d and %d lines, %d timers", len(a.out.lines), len(b.out.lines), len(b.timers))
	}
}

type failing struct{}

var errFull = errors.New("no space left")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestAFailedWriteIsReported(t *testing.T) {
	if err := NewLog("caddy", failing{}, &Budget{PerSecond: 1}).Write(example()); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentEventsDoNotMixOnAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	log := NewLog("caddy", w, &Budget{PerSecond: 1 << 30})
	var writers sync.WaitGroup
	for range 8 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for range 50 {
				e := example()
				e.UserAgent = strings.Repeat("x", 9000)
				_ = log.Write(e)
			}
		}()
	}
	go func() { writers.Wait(); w.Close() }()
	var all bytes.Buffer
	_, _ = all.ReadFrom(r)
	lines := strings.SplitAfter(all.String(), "\n")
	if len(lines) != 401 {
		t.Fatalf("%d lines", len(lines)-1)
	}
	for _, line := range lines[:400] {
		if len(line) != limits.EventBytes || !strings.HasPrefix(line, `{"type":"guard_block"`) {
			t.Fatalf("got %d bytes: %s", len(line), line)
		}
	}
}
