package event

import (
	"sync"
	"time"
)

// Budget bounds the event lines of a process per second. Several logs can share it.
type Budget struct {
	PerSecond int

	mu     sync.Mutex
	second int64
	used   int
}

// take reports whether one more line may be written in the second of now.
func (b *Budget) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if second := now.Unix(); second != b.second {
		b.second, b.used = second, 0
	}
	if b.used >= b.PerSecond {
		return false
	}
	b.used++
	return true
}
