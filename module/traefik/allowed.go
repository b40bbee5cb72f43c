package traefik

import (
	"strings"
	"sync"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/interpreted"
	"github.com/request-guard/guard/policy"
)

// allowedTargets recognizes targets that cannot block a request: by the prefilter, or because an evaluation allowed them.
type allowedTargets struct {
	prefilter  *interpreted.TargetPrefilter
	wholeQuery bool // the query is a part of the key; false: the policy does not inspect queries

	seen *sync.Map // recent targets that an evaluation allowed, as keys; the values are unused
	mu   sync.Mutex
	used int // number of targets that were stored since seen was empty
}

// Bounds of the set of recent targets: a few megabytes at most.
const (
	seenTargets     = 4096
	seenTargetBytes = 512
)

// newAllowedTargets returns the allowed targets of a policy whose verdict on a target depends only on the target.
func newAllowedTargets(rules *engine.RuleSet, p *policy.Policy) *allowedTargets {
	return &allowedTargets{
		prefilter:  interpreted.NewTargetPrefilter(rules, p.CheckQuery),
		wholeQuery: p.CheckQuery || p.Exploits != "off",
		seen:       &sync.Map{},
	}
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

// add records the target of a request that was allowed because of its target.
func (c *allowedTargets) add(target string, v *engine.Verdict) {
	key := c.key(target)
	if len(key) > seenTargetBytes || v.IsConditional || v.Reason != engine.ReasonNoMatch && v.Reason != engine.ReasonAllowPatternMatch {
		return
	}
	if _, isSeen := c.seen.Load(key); isSeen {
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
