package policy

import (
	"fmt"

	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/pattern"
)

// checkPatternBytes reports the longest pattern when all patterns together exceed the bound.
func (p *problems) checkPatternBytes(policy *Policy) {
	total, most, longest := 0, 0, ""
	count := func(at, source string) {
		bytes := pattern.Bytes(source)
		total += bytes
		if bytes > most {
			most, longest = bytes, at
		}
	}
	for i, source := range policy.BlockPatterns {
		count(entryPath("block_patterns", i), source)
	}
	for i, source := range policy.AllowPatterns {
		count(entryPath("allow_patterns", i), source)
	}
	for i, r := range policy.Rules {
		count(entryPath("rules", i)+".pattern", r.Pattern)
	}
	for i, e := range policy.Exceptions {
		count(entryPath("exceptions", i)+".path", e.Path)
	}
	if total > limits.PolicyPatternBytes {
		p.add(OutOfRange, longest, fmt.Sprintf("expected at most %d bytes in all patterns of the policy, with counts written out, "+
			"found %d: %d in this one, the longest", limits.PolicyPatternBytes, total, most))
	}
}
