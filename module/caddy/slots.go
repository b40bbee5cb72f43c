package guard

import (
	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/limits"
)

// slots bounds how many requests all guards evaluate at the same time.
var slots = host.ProcessorSlots(limits.SlotQueue)
