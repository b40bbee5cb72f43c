package respond

import (
	"sync"

	"github.com/request-guard/guard/policy"
)

// ceiling counts the requests that this process holds open. All policies share it, so that the number does not grow
// with that of the policies.
type ceiling struct {
	mu        sync.Mutex
	total     int
	byMode    map[string]int
	byNetwork map[string]int // only networks that hold requests
}

var held = &ceiling{byMode: map[string]int{}, byNetwork: map[string]int{}}

// enter counts one more request of a network, unless that would exceed max, or maxPerNetwork for the network.
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

// Held returns the number of requests that this process holds, by mode.
func Held() map[string]int {
	held.mu.Lock()
	defer held.mu.Unlock()
	counts := map[string]int{}
	for _, mode := range policy.Modes {
		if mode.Holds {
			counts[mode.Name] = held.byMode[mode.Name]
		}
	}
	return counts
}

// enter counts a request of a client as held; the caller calls leave at its end. Where the ceiling is reached, ok is
// false, and the response is that of mode text.
func (o *options) enter(client string) (leave func(), ok bool) {
	mode, from := o.response.Mode, networkOf(client)
	if !held.enter(mode, from, o.response.MaxHeld, o.response.MaxHeldPerAddress) {
		return nil, false
	}
	return func() { held.leave(mode, from) }, true
}
