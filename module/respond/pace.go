package respond

import (
	"sync"
	"time"

	"github.com/request-guard/guard/limits"
)

// pace spreads the bytes of several responses over time. Responses get turns in the order of their requests for one.
type pace struct {
	mu        sync.Mutex
	perSecond int
	free      time.Time // time at which all granted bytes have been sent
}

// streamPace bounds the rate of all policies together, like the ceiling of held requests.
var streamPace = &pace{perSecond: limits.StreamBytesPerSecond}

// grant reserves time for some bytes, and returns how long to wait before they are sent.
func (p *pace) grant(bytes int, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free.Before(now) {
		p.free = now
	}
	wait := p.free.Sub(now)
	p.free = p.free.Add(p.timeOf(bytes))
	return wait
}

// giveBack releases the time of granted bytes that are not sent.
func (p *pace) giveBack(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = p.free.Add(-p.timeOf(bytes))
}

func (p *pace) timeOf(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / time.Duration(p.perSecond)
}
