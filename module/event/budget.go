package event

import (
	"sync"
	"time"

	"github.com/request-guard/guard/address"
	"github.com/request-guard/guard/limits"
)

// Budget bounds the event lines of a process per second, and shares them among clients. The first event of a client in a
// second gets any remaining line; ForNewClients lines are reserved for such events. A client gets a further line while it
// has fewer than limits.EventsClientFactor times the remaining shared lines, so a client that floods leaves lines for others.
type Budget struct {
	PerSecond     int
	ForNewClients int

	mu       sync.Mutex
	second   int64
	used     int
	shared   int            // used lines that were not the first line of their client
	byClient map[string]int // lines of each client; at most PerSecond clients
}

func NewBudget() *Budget {
	return &Budget{PerSecond: limits.EventsPerSecond, ForNewClients: limits.EventsForNewClients}
}

// spend reports whether one more line may be written for the client address in the second of now, and counts the line.
func (b *Budget) spend(client string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if second := now.Unix(); second != b.second || b.byClient == nil {
		b.second, b.used, b.shared = second, 0, 0
		b.byClient = map[string]int{}
	}
	if b.used >= b.PerSecond {
		return false
	}
	network := address.NetworkOf(client, address.ClientBits)
	earlierLines := b.byClient[network]
	if earlierLines > 0 {
		if left := b.PerSecond - b.ForNewClients - b.shared; earlierLines >= left*limits.EventsClientFactor {
			return false
		}
		b.shared++
	}
	b.used++
	b.byClient[network] = earlierLines + 1
	return true
}
