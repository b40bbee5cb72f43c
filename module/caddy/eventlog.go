package guard

import (
	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/request-guard/guard/event"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

const gateway = "caddy"

var (
	// eventLogs has the open destinations of events by path. The empty path is standard output.
	eventLogs   = caddy.NewUsagePool()
	eventBudget = event.NewBudget()
)

type sharedLog struct{ *host.EventLog }

func (l *sharedLog) Destruct() error { return l.Close() }

func (l *sharedLog) report(e *event.Event, logger *zap.Logger) {
	if err := l.Write(e); err != nil {
		logger.Error("security events are lost", zap.String("security_log_file", l.Path), zap.Error(err))
	}
}

// acquireLog returns the event log of the policy, or nil if it has none. releaseLog releases it.
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
	l, err := host.OpenEvents(gateway, path, eventBudget)
	if err != nil {
		return nil, err
	}
	return &sharedLog{l}, nil
}

func releaseLog(l *sharedLog) error {
	_, err := eventLogs.Delete(l.Path)
	return err
}
