package engine

import (
	"hash/maphash"
	"net/http"
	"strings"
	"sync/atomic"
)

// passedTargets keeps targets of GET requests that no rule matched, because clients ask for most of them again. It is safe for concurrent
// use. One target replaces the one before it in its slot, which then costs an evaluation.
type passedTargets struct {
	seed  maphash.Seed
	slots [targetSlots]atomic.Value // of string
}

// With these bounds, a guard keeps at most 150 KB of targets. In the log of a web site, 7 of 10 requests are for one of 512 targets.
const (
	targetSlots   = 512
	longestTarget = 256 // bytes
)

func newPassedTargets() *passedTargets { return &passedTargets{seed: maphash.MakeSeed()} }

func (p *passedTargets) slotOf(target string) *atomic.Value {
	return &p.slots[maphash.String(p.seed, target)%targetSlots]
}

func (p *passedTargets) has(target string) bool {
	if len(target) > longestTarget {
		return false
	}
	kept, isKept := p.slotOf(target).Load().(string)
	return isKept && kept == target
}

// keep copies the target, which would otherwise keep the whole request line in memory.
func (p *passedTargets) keep(target string) {
	if len(target) <= longestTarget && !p.has(target) {
		p.slotOf(target).Store(strings.Clone(target))
	}
}

// isKept reports whether the verdict on the target is that on every GET request for it: it is the only target, and no trace is wanted.
func (e *evaluation) isKept() bool {
	r := e.request
	return e.rules.passed != nil && r.Method == http.MethodGet && !r.HasRewritten && !e.onlyExploits && e.trace == nil
}

// isRepeated returns true only if a former request with this target passed, and nothing else of this one has to be inspected.
func (e *evaluation) isRepeated() bool {
	if !e.isKept() || len(e.request.Body) > 0 || !e.rules.passed.has(e.request.Target) {
		return false
	}
	for i := range e.rules.headers {
		if len(e.rules.headers[i].valuesIn(e.request.Header)) > 0 {
			return false
		}
	}
	if len(e.rules.lines) == 0 {
		return true
	}
	e.findSuspectLines()
	return e.lineSuspects.Next(0) < 0
}

// keepTarget keeps the target of a request whose paths and queries no rule matched, whether it blocks, allows or needs more.
func (e *evaluation) keepTarget() {
	if e.isKept() && e.excusedBy == nil && !e.isConditional && e.excepted == nil && len(e.request.Excused) == 0 {
		e.rules.passed.keep(e.request.Target)
	}
}
