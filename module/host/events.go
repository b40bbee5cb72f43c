package host

import (
	"errors"
	"os"
	"sync/atomic"

	"github.com/request-guard/guard/event"
)

type EventLog struct {
	Path   string // empty: standard output
	log    *event.Log
	file   *event.File // nil: standard output
	failed atomic.Bool
}

// OpenEvents opens the destination at path for the events of a proxy. All destinations share budget.
func OpenEvents(gateway, path string, budget *event.Budget) (*EventLog, error) {
	if path == "" {
		return &EventLog{log: event.NewLog(gateway, os.Stdout, budget)}, nil
	}
	file, err := event.OpenFile(path)
	if err != nil {
		return nil, err
	}
	return &EventLog{Path: path, log: event.NewLog(gateway, file, budget), file: file}, nil
}

// Write returns only the first of several consecutive errors, so that a full disk does not also fill the proxy's log.
func (l *EventLog) Write(e *event.Event) error {
	err := l.log.Write(e)
	if err == nil {
		l.failed.Store(false)
		return nil
	}
	if l.failed.Swap(true) {
		return nil
	}
	return err
}

// Close writes the pending summary and closes the file.
func (l *EventLog) Close() error {
	err := l.log.Flush()
	if l.file == nil {
		return err
	}
	return errors.Join(err, l.file.Close())
}
