package engine

import "github.com/request-guard/guard/policy"

// CompileAsFirst compiles a policy like Compile, as if it were the first in a process: no table of a built-in rule is decoded.
func CompileAsFirst(p *policy.Policy) (*RuleSet, error) {
	k := &Toolkit{Matcher: tableToolkit.Matcher, BuiltIn: tableToolkit.BuiltIn}
	return k.Compile(p)
}
