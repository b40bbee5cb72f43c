package traefik

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/request-guard/guard/event"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// gateway is the name of this proxy in events.
const gateway = "traefik"

// eventLogs are the open destinations of events by path; the empty path is standard output. There are as many as policies
// ever named, and Traefik never tells when one is not needed any more.
var eventLogs = struct {
	mu     sync.Mutex
	byPath map[string]*eventLog
	budget *event.Budget
}{byPath: map[string]*eventLog{}, budget: &event.Budget{PerSecond: limits.EventsPerSecond}}

type eventLog struct {
	log    *event.Log
	path   string
	failed atomic.Bool
}

// openEvents gives the log that the policy asks for, nil when it asks for none.
func openEvents(p *policy.Policy) (*eventLog, error) {
	if !p.SecurityLog {
		return nil, nil
	}
	eventLogs.mu.Lock()
	defer eventLogs.mu.Unlock()
	if l := eventLogs.byPath[p.SecurityLogFile]; l != nil {
		return l, nil
	}
	l := &eventLog{path: p.SecurityLogFile}
	if l.path == "" {
		l.log = event.NewLog(gateway, os.Stdout, eventLogs.budget)
	} else {
		file, err := event.OpenFile(l.path)
		if err != nil {
			return nil, err
		}
		l.log = event.NewLog(gateway, file, eventLogs.budget)
	}
	eventLogs.byPath[l.path] = l
	return l, nil
}

// report writes one event. A destination that fails is told of once, until it works again: a full disk must not fill the log as well.
func (l *eventLog) report(g *guard, e *event.Event) {
	err := l.log.Write(e)
	if err == nil {
		l.failed.Store(false)
		return
	}
	if !l.failed.Swap(true) {
		g.report("security events are lost: " + err.Error())
	}
}
