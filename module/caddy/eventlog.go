package guard

import (
	"os"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/request-guard/guard/event"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// gateway is the name of this proxy in events.
const gateway = "caddy"

var (
	// eventLogs are the open destinations of events by path; the empty path is standard output.
	eventLogs = caddy.NewUsagePool()
	// eventBudget is shared by all of them.
	eventBudget = &event.Budget{PerSecond: limits.EventsPerSecond}
)

// sharedLog is an entry of the pool.
type sharedLog struct {
	*event.Log
	path   string
	close  func() error
	failed atomic.Bool
}

// Destruct writes what is still counted and closes the file.
func (l *sharedLog) Destruct() error {
	if err := l.Flush(); err != nil {
		return err
	}
	return l.close()
}

// report writes one event. A destination that fails is told of once, until it works again: a full disk must not fill the log as well.
func (l *sharedLog) report(e *event.Event, logger *zap.Logger) {
	err := l.Write(e)
	if err == nil {
		l.failed.Store(false)
		return
	}
	if !l.failed.Swap(true) {
		logger.Error("security events are lost", zap.String("security_log_file", l.path), zap.Error(err))
	}
}

// acquireLog gives the log that the policy asks for, nil when it asks for none; releaseLog gives it back.
func acquireLog(p *policy.Policy) (*sharedLog, error) {
	if !p.SecurityLog {
		return nil, nil
	}
	value, _, err := eventLogs.LoadOrNew(p.SecurityLogFile, func() (caddy.Destructor, error) { return openLog(p.SecurityLogFile) })
	if err != nil {
		return nil, err
	}
	return value.(*sharedLog), nil
}

func openLog(path string) (caddy.Destructor, error) {
	if path == "" {
		return &sharedLog{Log: event.NewLog(gateway, os.Stdout, eventBudget), close: func() error { return nil }}, nil
	}
	file, err := event.OpenFile(path)
	if err != nil {
		return nil, err
	}
	return &sharedLog{Log: event.NewLog(gateway, file, eventBudget), path: path, close: file.Close}, nil
}

func releaseLog(l *sharedLog) error {
	_, err := eventLogs.Delete(l.path)
	return err
}
