package traefik

import (
	"strings"
	"sync"

	"github.com/request-guard/guard/engine"
)

// clearTargets knows targets that nothing in them blocks, whatever else a request is: by its gate those that are clear at a
// glance, by heart the ones last seen that took an evaluation.
type clearTargets struct {
	gate       *engine.Gate
	wholeQuery bool // of no account otherwise

	seen *sync.Map // holds keys alone
	mu   sync.Mutex
	used int
}

// Bounds on what is known by heart: a few megabytes at most.
const (
	seenTargets     = 4096
	seenTargetBytes = 512
)

// newClearTargets is nil where the verdict on a target is not the target's alone, and while every verdict is to be traced.
func newClearTargets(rules *engine.RuleSet, checkQuery bool) *clearTargets {
	return &clearTargets{gate: rules.Gate(), wholeQuery: checkQuery, seen: &sync.Map{}}
}

func (c *clearTargets) key(target string) string {
	if c.wholeQuery {
		return target
	}
	path, _, _ := strings.Cut(target, "?")
	return path
}

func (c *clearTargets) has(target string) bool {
	key := c.key(target)
	if c.gate != nil && c.gate.ClearsInAnyCase(key) {
		return true
	}
	_, isSeen := c.seen.Load(key)
	return isSeen
}

// add remembers the target of a request that was allowed for what its target is.
func (c *clearTargets) add(target string, v *engine.Verdict) {
	key := c.key(target)
	if len(key) > seenTargetBytes || v.Reason != engine.ReasonNoMatch && v.Reason != engine.ReasonAllowPatternMatch {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used >= seenTargets {
		c.seen.Range(func(key, _ any) bool {
			c.seen.Delete(key)
			return true
		})
		c.used = 0
	}
	c.seen.Store(strings.Clone(key), true)
	c.used++
}
