package guard

import (
	"encoding/json"

	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

// UnmarshalJSON reads and checks the JSON form. It reports all problems, each with its path.
func (g *Guard) UnmarshalJSON(text []byte) error {
	g.written = append(json.RawMessage(nil), text...)
	_, problems := policy.Load(text)
	return host.Join(problems)
}

// MarshalJSON returns the JSON form as written, secrets included: Caddy loads what caddy adapt prints, as it does with
// the credentials of other modules. Write a secret as ${NAME} to keep it out of the configuration.
func (g Guard) MarshalJSON() ([]byte, error) { return g.written, nil }
