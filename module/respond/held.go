package respond

import (
	"sync"

	"github.com/request-guard/guard/address"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// ceiling counts the requests that this process holds open. All policies share it, so more policies do not raise the bound.
type ceiling struct {
	mu        sync.Mutex
	total     int
	byMode    map[string]int
	byNetwork map[string]int // number of held requests of each network
}

// heldResponses and heldVerifications are separate, so that a scanner in tarpits cannot prevent the verification of
// visitors.
var (
	heldResponses     = newCeiling()
	heldVerifications = newCeiling()
)

func newCeiling() *ceiling { return &ceiling{byMode: map[string]int{}, byNetwork: map[string]int{}} }

func (c *ceiling) count(mode string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byMode[mode]
}

// enter counts a request of a network. It returns false if the total would exceed max, or the network maxPerNetwork.
func (c *ceiling) enter(mode, network string, max, maxPerNetwork int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.total >= max || c.byNetwork[network] >= maxPerNetwork {
		return false
	}
	c.total++
	c.byMode[mode]++
	c.byNetwork[network]++
	return true
}

func (c *ceiling) leave(mode, network string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total--
	c.byMode[mode]--
	c.byNetwork[network]--
	if c.byNetwork[network] == 0 {
		delete(c.byNetwork, network)
	}
}

// HeldByMode returns the number of requests that this process holds, by mode.
func HeldByMode() map[string]int {
	counts := map[string]int{}
	for _, mode := range policy.Modes {
		if mode.Holds {
			counts[mode.Name] = ceilingOf(mode.Name).count(mode.Name)
		}
	}
	return counts
}

func ceilingOf(mode string) *ceiling {
	if mode == "captcha" {
		return heldVerifications
	}
	return heldResponses
}

// heldNetwork returns the network whose share a client uses.
func heldNetwork(client string) string { return address.NetworkOf(client, limits.ClientNetworkBits) }

// enterCeiling counts a request as held until the caller calls leave. ok is false if the ceiling is reached.
func (o *options) enterCeiling(client string) (leave func(), ok bool) {
	mode, from := o.response.Mode, heldNetwork(client)
	counted := ceilingOf(mode)
	if !counted.enter(mode, from, o.response.MaxHeld, o.response.MaxHeldPerAddress) {
		return nil, false
	}
	return func() { counted.leave(mode, from) }, true
}
