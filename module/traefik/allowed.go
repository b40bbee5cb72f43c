package traefik

import (
	"strings"
	"sync"

	"github.com/request-guard/guard/engine"
)

// allowedTargets knows targets that nothing in them blocks, whatever else a request is: by its gate those that are clear at a
// glance, by heart the ones last seen that took an evaluation.
type allowedTargets struct {
	prefilter  *engine.TargetPrefilter
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

// newAllowedTargets is nil where the verdict on a target is not the target's alone, and while every verdict is to be traced.
func newAllowedTargets(rules *engine.RuleSet, checkQuery bool) *allowedTargets {
	return &allowedTargets{prefilter: rules.TargetPrefilter(), wholeQuery: checkQuery, seen: &sync.Map{}}
}

func (c *allowedTargets) key(target string) string {
	if c.wholeQuery {
		return target
	}
	path, _, _ := strings.Cut(target, "?")
	return path
}

func (c *allowedTargets) has(target string) bool {
	key := c.key(target)
	if c.prefilter != nil && c.prefilter.PassesInAnyCase(key) {
		return true
	}
	_, isSeen := c.seen.Load(key)
	return isSeen
}

// add remembers the target of a request that was allowed for what its target is.
func (c *allowedTargets) add(target string, v *engine.Verdict) {
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
