package respond

import (
	"sync"

	"github.com/request-guard/guard/limits"
)

// budget bounds the verifications of each network in a span of time, so that no client can use up the provider's quota.
type budget struct {
	mu     sync.Mutex
	span   int64
	counts map[string]int
}

// verificationBudget is the budget of all policies together.
var verificationBudget = &budget{}

func (b *budget) spend(network string, now int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if span := now / limits.CaptchaSpanSeconds; span != b.span || b.counts == nil {
		b.span = span
		b.counts = map[string]int{}
	}
	count := b.counts[network]
	if count >= limits.CaptchaVerifications || count == 0 && len(b.counts) >= limits.CaptchaNetworks {
		return false
	}
	b.counts[network] = count + 1
	return true
}
