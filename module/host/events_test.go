package host

import (
	"errors"
	"os"
	"testing"

	"github.com/request-guard/guard/event"
)

// Caddy closes a log at each reload that no longer uses it, even when the disk is full.
func TestALogWhoseSummaryCannotBeWrittenIsClosed(t *testing.T) {
	l, err := OpenEvents("caddy", "/dev/full", &event.Budget{PerSecond: 0})
	if err != nil {
		t.Skip(err)
	}
	if err := l.Write(&event.Event{}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err == nil {
		t.Error("the lost summary is not reported")
	}
	if err := l.file.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
