package guard

import (
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// check returns the problems of a policy file, also those of this build.
func check(f *policy.File) []policy.Problem {
	_, problems := resolve(f)
	return problems
}

// resolve fills in the defaults of a policy that this build supports.
func resolve(f *policy.File) (*policy.Policy, []policy.Problem) {
	p, problems := policy.Resolve(f)
	if p == nil {
		return nil, problems
	}
	if err := respond.Available(p.Response.Mode); err != nil {
		return nil, []policy.Problem{{Kind: policy.BadValue, Path: "response.mode", Message: err.Error()}}
	}
	return p, nil
}
