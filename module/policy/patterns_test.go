package policy

import (
	"strings"
	"testing"

	"github.com/request-guard/guard/limits"
)

func TestPatternsBeyondTheBound(t *testing.T) {
	pattern := strings.Repeat("a", limits.RegexBytes)
	fitting := limits.PolicyPatternBytes/limits.RegexBytes - 1
	patterns := strings.TrimSuffix(strings.Repeat(`"`+pattern+`",`, fitting), ",")
	load := func(more string) []Problem {
		_, problems := Load([]byte(`{"block_patterns":[` + patterns + `],"exceptions":[{"rules":["env-file"],"path":"` + pattern + `"}` + more + `]}`))
		return problems
	}
	if problems := load(""); len(problems) > 0 {
		t.Errorf("a policy at the bound is refused: %v", problems[0].Message)
	}
	problems := load(`,{"rules":["env-file"],"path":"^/x"}`)
	if len(problems) != 1 || problems[0].Kind != OutOfRange || problems[0].Path != "block_patterns[0]" ||
		problems[0].Message != "expected at most 262144 bytes in all patterns of the policy, with counts written out, found 262147: 2048 in this one, the longest" {
		t.Errorf("got %v", problems)
	}
}
