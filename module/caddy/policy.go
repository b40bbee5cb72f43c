package guard

import (
	"encoding/json"

	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
	"github.com/request-guard/guard/respond"
)

// UnmarshalJSON reads and checks the JSON form. It reports all problems, each with its path.
func (g *Guard) UnmarshalJSON(text []byte) error {
	g.written = append(json.RawMessage(nil), text...)
	_, problems := resolve(text)
	return host.Join(problems)
}

// MarshalJSON returns the JSON form as written.
func (g Guard) MarshalJSON() ([]byte, error) { return g.written, nil }

// resolve checks a policy, and fills in the defaults. Problems include those of this build.
func resolve(text []byte) (*policy.Policy, []policy.Problem) {
	p, problems := policy.Load(text)
	if p == nil {
		return nil, problems
	}
	if err := respond.Available(p.Response.Mode); err != nil {
		return nil, []policy.Problem{{Kind: policy.BadValue, Path: "response.mode", Message: err.Error()}}
	}
	return p, nil
}
