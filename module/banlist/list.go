package banlist

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/request-guard/guard/background"
	"github.com/request-guard/guard/limits"
)

// List is the ban list at a path. It keeps its table when the file is gone, damaged or older. Safe for concurrent use.
type List struct {
	path   string
	decode Decoder
	report func(message string)

	table  atomic.Value // *Table; nil: the file was never read
	looked atomic.Int64 // when the last look began, milliseconds since 1970

	mu    sync.Mutex // held while the file is read
	fault string     // the last fault that was reported
}

// Open reads the list at a path with a Decoder. report gets a line for the log of the proxy when the file cannot be used. It is not called
// again for the same fault until the file could be used.
func Open(path string, decode Decoder, report func(message string)) *List {
	l := &List{path: path, decode: decode, report: report}
	l.Look()
	return l
}

// Table returns the table in force. It returns nil if the file was never read.
func (l *List) Table() *Table {
	table, _ := l.table.Load().(*Table)
	return table
}

// Refresh starts a look in a goroutine if the last one is a second old, and returns the table in force. A proxy that is
// not notified of unused lists calls it for each request.
func (l *List) Refresh() *Table {
	last, now := l.looked.Load(), time.Now().UnixMilli()
	if isDue(last, now) && l.looked.CompareAndSwap(last, now) {
		background.Go(l.Look)
	}
	return l.Table()
}

// Latest looks if the last look is a second old, and returns the table in force.
func (l *List) Latest() *Table {
	if isDue(l.looked.Load(), time.Now().UnixMilli()) {
		l.Look()
	}
	return l.Table()
}

const lookMillis = 1000 * limits.BanListLookSeconds

// isDue reports whether a look is a second old, or from a time before the clock was set back.
func isDue(last, now int64) bool {
	age := now - last
	return age >= lookMillis || age < 0
}

// Look reads the file if it is another one than before.
func (l *List) Look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looked.Store(time.Now().UnixMilli())
	current := l.Table()
	table, err := read(l.path, current, l.decode)
	if err != nil {
		l.reportFault(err.Error(), current)
		return
	}
	l.fault = ""
	if table != current {
		l.table.Store(table)
	}
}

// isOlder reports whether another table stays in force. One from the future does not: a clock was set back.
func (t *Table) isOlder(other *Table) bool {
	return t.written < other.written && other.written <= time.Now().Unix()
}

func (l *List) reportFault(fault string, current *Table) {
	if fault == l.fault {
		return
	}
	l.fault = fault
	effect := "the last one that could be read stays in force"
	if current == nil {
		effect = "no client is banned"
	}
	l.report(fmt.Sprintf("the ban list %+q cannot be used, and %s: %+q", l.path, effect, fault))
}
