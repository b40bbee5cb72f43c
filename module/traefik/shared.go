package traefik

import (
	"crypto/sha256"
	"sync"

	"github.com/request-guard/guard/background"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

// ruleCache shares compiled rules by the hash of what they were compiled from: Traefik makes every guard again when its
// configuration changes, and does not notify one that is no longer used.
type ruleCache struct {
	compile func(p *policy.Policy) (*engine.RuleSet, error)
	// recognizesTargets is set where an evaluation takes much longer than recognizing a target that is allowed.
	recognizesTargets bool
	// forgets is set where a rule set is dropped with its last guard. It needs finalizers, which an interpreter does not run.
	forgets bool

	mu   sync.Mutex
	sets map[[sha256.Size]byte]*sharedRules
	uses int
}

type sharedRules struct {
	rules   *engine.RuleSet
	allowed *allowedTargets // nil: every request is evaluated
	lastUse int
	guards  int // that use them, where the cache forgets
}

// ruleUse is what one guard uses of the cache. It is separate from the guard, because the runtime finds no object unreachable
// that refers to itself.
type ruleUse struct {
	rules   *engine.RuleSet
	allowed *allowedTargets // nil: every request is evaluated
}

func (c *ruleCache) release(key [sha256.Size]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry := c.sets[key]; entry != nil {
		if entry.guards--; entry.guards <= 0 {
			delete(c.sets, key)
		}
	}
}

// mostShared bounds the rule sets that are kept. Beyond it, the least recently used one is dropped.
const mostShared = 64

// of returns what the guard of a policy uses. A cache that forgets releases the rules when the result is unreachable.
func (c *ruleCache) of(p *policy.Policy) (*ruleUse, error) {
	key, err := host.HashInspection(p)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uses++
	entry := c.sets[key]
	if entry == nil {
		if entry, err = c.make(p); err != nil {
			return nil, err
		}
		c.sets[key] = entry
		c.dropOldest()
	}
	entry.lastUse = c.uses
	use := &ruleUse{rules: entry.rules}
	if !p.Debug && p.Enabled {
		use.allowed = entry.allowed
	}
	if c.forgets {
		entry.guards++
		background.OnUnreachable(use, func() { c.release(key) })
	}
	return use, nil
}

func (c *ruleCache) make(p *policy.Policy) (*sharedRules, error) {
	rules, err := c.compile(p)
	if err != nil {
		return nil, err
	}
	entry := &sharedRules{rules: rules, lastUse: c.uses}
	if c.recognizesTargets && len(p.Exceptions) == 0 { // exceptions depend on the host
		entry.allowed = newAllowedTargets(rules, p.CheckQuery)
	}
	return entry, nil
}

func (c *ruleCache) dropOldest() {
	if len(c.sets) <= mostShared {
		return
	}
	var oldest [sha256.Size]byte
	first := c.uses
	for key, entry := range c.sets {
		if entry.lastUse < first {
			oldest, first = key, entry.lastUse
		}
	}
	delete(c.sets, oldest)
}
