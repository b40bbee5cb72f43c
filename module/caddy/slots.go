package guard

import (
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/limits"
)

// slots are shared by all guards.
var slots = host.ProcessorSlots(limits.SlotQueue)
