package policy

import (
	"fmt"

	"github.com/request-guard/guard/limits"
)

// ofPatterns reports the first pattern beyond the bound on all patterns, with the size of all of them.
func (p *problems) ofPatterns(policy *Policy) {
	size, beyond := 0, ""
	count := func(at, pattern string) {
		if size += len(pattern); size > limits.PolicyPatternBytes && beyond == "" {
			beyond = at
		}
	}
	for i, pattern := range policy.BlockPatterns {
		count(indexed("block_patterns", i), pattern)
	}
	for i, pattern := range policy.AllowPatterns {
		count(indexed("allow_patterns", i), pattern)
	}
	for i, r := range policy.Rules {
		count(indexed("rules", i)+".pattern", r.Pattern)
	}
	for i, e := range policy.Exceptions {
		count(indexed("exceptions", i)+".path", e.Path)
	}
	if beyond != "" {
		p.add(OutOfRange, beyond, fmt.Sprintf("expected at most %d bytes in all patterns of the policy, found %d", limits.PolicyPatternBytes, size))
	}
}
