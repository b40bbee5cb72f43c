package traefik

import (
	"sync"

	"github.com/request-guard/guard/event"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

const gateway = "traefik"

// eventLogs has the open destinations by path. They stay open, because Traefik does not notify a plugin of unused guards.
var eventLogs = struct {
	mu     sync.Mutex
	byPath map[string]*host.EventLog
	budget *event.Budget
}{byPath: map[string]*host.EventLog{}, budget: event.NewBudget()}

// openEvents returns the event log of a policy, or nil if it has none.
func openEvents(p *policy.Policy) (*host.EventLog, error) {
	if !p.SecurityLog {
		return nil, nil
	}
	eventLogs.mu.Lock()
	defer eventLogs.mu.Unlock()
	if l := eventLogs.byPath[p.SecurityLogFile]; l != nil {
		return l, nil
	}
	l, err := host.OpenEvents(gateway, p.SecurityLogFile, eventLogs.budget)
	if err != nil {
		return nil, err
	}
	eventLogs.byPath[l.Path] = l
	return l, nil
}
