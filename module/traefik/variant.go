package traefik

import (
	"crypto/sha256"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/interpreted"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/limits"
)

// variant is what all guards share, and how they run.
type variant struct {
	rules *ruleCache
	slots *host.Slots
}

var (
	// plugin is the guard as a plugin, which Traefik interprets.
	plugin = &variant{
		rules: &ruleCache{compile: interpreted.Compile, recognizesTargets: true, sets: map[[sha256.Size]byte]*sharedRules{}},
		slots: host.ProcessorSlots(limits.InterpretedSlotQueue),
	}
	// compiledIn is the guard in a Traefik that was built with it.
	compiledIn = &variant{
		rules: &ruleCache{compile: engine.Compile, forgets: true, sets: map[[sha256.Size]byte]*sharedRules{}},
		slots: host.ProcessorSlots(limits.SlotQueue),
	}
)
