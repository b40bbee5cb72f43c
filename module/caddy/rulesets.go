package guard

import (
	"crypto/sha256"

	"github.com/caddyserver/caddy/v2"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/policy"
)

// ruleSets has the compiled rules by host.HashInspection of their policy. Sites share them, and so do two configurations during
// a reload.
var ruleSets = caddy.NewUsagePool()

type sharedRules struct {
	*engine.RuleSet
	key [sha256.Size]byte // result of host.HashInspection
}

// Destruct does nothing, because a rule set holds only memory.
func (*sharedRules) Destruct() error { return nil }

// acquireRules returns the compiled rules of p. releaseRules releases them.
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

// slots bounds how many long evaluations run at the same time in all guards together.
var slots = host.ProcessorSlots(limits.SlotQueue)
