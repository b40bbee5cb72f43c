package traefik

import (
	"crypto/sha256"
	"sync"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

// Traefik makes every guard again when its configuration changes, and does not notify one that is no longer used.
// Compiled rules are therefore shared, by the hash of what they were compiled from.
var shared = struct {
	mu   sync.Mutex
	sets map[[sha256.Size]byte]*sharedRules
	uses int
}{sets: map[[sha256.Size]byte]*sharedRules{}}

type sharedRules struct {
	rules   *engine.RuleSet
	allowed *allowedTargets
	lastUse int
}

// mostShared bounds the rule sets that are kept. Beyond it, the least recently used one is dropped.
const mostShared = 64

// compiled returns the rules of a policy and its allowed targets; nil: every request is evaluated.
func compiled(p *policy.Policy) (*engine.RuleSet, *allowedTargets, error) {
	key, err := host.HashInspection(p)
	if err != nil {
		return nil, nil, err
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.uses++
	entry := shared.sets[key]
	if entry == nil {
		if entry, err = compile(p); err != nil {
			return nil, nil, err
		}
		shared.sets[key] = entry
		dropOldest()
	}
	entry.lastUse = shared.uses
	if p.Debug || !p.Enabled {
		return entry.rules, nil, nil
	}
	return entry.rules, entry.allowed, nil
}

func compile(p *policy.Policy) (*sharedRules, error) {
	rules, err := engine.CompileInterpreted(p)
	if err != nil {
		return nil, err
	}
	entry := &sharedRules{rules: rules, lastUse: shared.uses}
	if len(p.Exceptions) == 0 { // exceptions depend on the host
		entry.allowed = newAllowedTargets(rules, p.CheckQuery)
	}
	return entry, nil
}

func dropOldest() {
	if len(shared.sets) <= mostShared {
		return
	}
	var oldest [sha256.Size]byte
	first := shared.uses
	for key, entry := range shared.sets {
		if entry.lastUse < first {
			oldest, first = key, entry.lastUse
		}
	}
	delete(shared.sets, oldest)
}
