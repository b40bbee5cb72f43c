package traefik

import (
	"crypto/sha256"
	"sync"

	"github.com/request-guard/guard/background"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

// ruleCache has compiled rules by host.HashInspection of their policy. Traefik creates all guards again when its configuration
// changes.
type ruleCache struct {
	compile func(p *policy.Policy) (*engine.RuleSet, error)
	// recognizesTargets is set for the interpreted engine, where recognizing an allowed target saves most of the time.
	recognizesTargets bool
	// forgets makes the cache drop rules when their last guard is unreachable. An interpreter does not run the finalizers that this
	// needs.
	forgets bool

	mu   sync.Mutex
	sets map[[sha256.Size]byte]*sharedRules
	uses int // number of calls of acquire
}

type sharedRules struct {
	rules   *engine.RuleSet
	allowed *allowedTargets // nil: every request is evaluated
	lastUse int             // value of ruleCache.uses at the last acquire
	guards  int             // number of guards that use the rules; only counted where the cache forgets
}

// ruleUse is a separate object with a finalizer, because a guard is part of a cycle, which the runtime does not finalize.
type ruleUse struct {
	rules   *engine.RuleSet
	allowed *allowedTargets // nil: every request is evaluated
}

// release drops the rules of a key when no guard uses them any more.
func (c *ruleCache) release(key [sha256.Size]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry := c.sets[key]; entry != nil {
		if entry.guards--; entry.guards <= 0 {
			delete(c.sets, key)
		}
	}
}

// mostShared bounds the rule sets in the cache. Beyond it, the least recently acquired one is dropped.
const mostShared = 64

// acquire returns the rules for the guard of a policy. A cache that forgets releases them when the result is unreachable.
func (c *ruleCache) acquire(p *policy.Policy) (*ruleUse, error) {
	key, err := host.HashInspection(p)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uses++
	entry := c.sets[key]
	if entry == nil {
		if entry, err = c.makeRules(p); err != nil {
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

func (c *ruleCache) makeRules(p *policy.Policy) (*sharedRules, error) {
	rules, err := c.compile(p)
	if err != nil {
		return nil, err
	}
	entry := &sharedRules{rules: rules, lastUse: c.uses}
	if c.recognizesTargets && len(p.Exceptions) == 0 { // exceptions depend on the host
		entry.allowed = newAllowedTargets(rules, p)
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
