package guard

import (
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/limits"
)

// slots bounds the evaluations of all guards.
var slots = host.ProcessorSlots(limits.SlotQueue)
