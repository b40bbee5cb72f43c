package traefik

import (
	"crypto/sha256"

	"github.com/request-guard/guard/banlist"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/interpreted"
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/limits"
)

// variant has what all guards of one kind share: those in the plugin, or those that are compiled into Traefik.
type variant struct {
	rules *ruleCache
	slots *host.Slots
	// decode reads the ranges of a ban list.
	decode banlist.Decoder
	// isInterpreted is set for the plugin, which has no rules about headers and bodies of exploits.
	isInterpreted bool
}

var (
	plugin = &variant{
		rules: &ruleCache{compile: interpreted.Compile, recognizesTargets: true, sets: map[[sha256.Size]byte]*sharedRules{}},
		slots: host.ProcessorSlots(limits.InterpretedSlotQueue),

		decode:        banlist.ByCalls,
		isInterpreted: true,
	}
	compiledIn = &variant{
		rules: &ruleCache{compile: engine.Compile, forgets: true, sets: map[[sha256.Size]byte]*sharedRules{}},
		slots: host.ProcessorSlots(limits.SlotQueue),

		decode: banlist.Bytewise,
	}
)
