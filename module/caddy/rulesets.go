package guard

import (
	"crypto/sha256"

	"github.com/caddyserver/caddy/v2"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

// ruleSets are the compiled rules of all instances, by what they were compiled from: a hundred sites with one policy, and
// the old and the new configuration during a reload, hold them once.
var ruleSets = caddy.NewUsagePool()

// sharedRules is an entry of the pool.
type sharedRules struct {
	*engine.RuleSet
	key [sha256.Size]byte // of what the rule set is compiled from
}

// Destruct has nothing to do: memory is all that a rule set holds.
func (*sharedRules) Destruct() error { return nil }

// acquireRules gives the compiled rules of p; releaseRules gives them back.
func acquireRules(p *policy.Policy) (*sharedRules, error) {
	key, err := host.HashInspection(p)
	if err != nil {
		return nil, err
	}
	value, _, err := ruleSets.LoadOrNew(key, func() (caddy.Destructor, error) {
		compiled, err := engine.Compile(p)
		return &sharedRules{RuleSet: compiled, key: key}, err
	})
	if err != nil {
		return nil, err
	}
	return value.(*sharedRules), nil
}

func releaseRules(rules *sharedRules) {
	_, _ = ruleSets.Delete(rules.key) // Destruct returns no error
}
