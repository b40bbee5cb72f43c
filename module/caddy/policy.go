package guard

import (
	"encoding/json"

	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

// jsonForm is a policy in the configuration of Caddy.
type jsonForm struct{ written json.RawMessage }

// UnmarshalJSON parses and checks the JSON form. It reports all problems with their paths.
func (f *jsonForm) UnmarshalJSON(text []byte) error {
	f.written = append(json.RawMessage(nil), text...)
	_, err := f.load()
	return err
}

// load returns the policy with its defaults.
func (f *jsonForm) load() (*policy.Policy, error) {
	resolved, problems := policy.Load(f.written)
	return resolved, host.Join(problems)
}

// MarshalJSON returns the JSON form as written. This includes secrets, because Caddy loads the output of caddy adapt;
// credentials of other modules are treated the same way. Write a secret as ${NAME} to keep it out of the configuration.
func (f jsonForm) MarshalJSON() ([]byte, error) { return f.written, nil }
