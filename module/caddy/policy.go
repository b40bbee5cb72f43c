package guard

import (
	"encoding/json"

	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

// UnmarshalJSON parses and checks the JSON form. It reports all problems with their paths.
func (g *Guard) UnmarshalJSON(text []byte) error {
	g.written = append(json.RawMessage(nil), text...)
	_, problems := policy.Load(text)
	return host.Join(problems)
}

// MarshalJSON returns the JSON form as written. This includes secrets, because Caddy loads the output of caddy adapt;
// credentials of other modules are treated the same way. Write a secret as ${NAME} to keep it out of the configuration.
func (g Guard) MarshalJSON() ([]byte, error) { return g.written, nil }
