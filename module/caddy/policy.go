package guard

import (
	"encoding/json"
	"regexp"

	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

// fromPlaceholder matches a secret that is Caddy's placeholder of an environment variable. A policy writes it as ${NAME}.
var fromPlaceholder = regexp.MustCompile(`("secret(?:_key)?"\s*:\s*")\{env\.([A-Za-z_][A-Za-z0-9_]*)\}"`)

// jsonForm is a policy in the configuration of Caddy.
type jsonForm struct{ written json.RawMessage }

// UnmarshalJSON parses and checks the JSON form. It reports all problems with their paths.
func (f *jsonForm) UnmarshalJSON(text []byte) error {
	f.written = append(json.RawMessage(nil), text...)
	_, err := f.load()
	return err
}

// checkPolicy returns the policy with its defaults, or its problems.
func (f *jsonForm) checkPolicy() (*policy.Policy, []policy.Problem) {
	return policy.Load(fromPlaceholder.ReplaceAll(f.written, []byte(`$1$${$2}"`)))
}

// load is like checkPolicy, but returns all problems as one error.
func (f *jsonForm) load() (*policy.Policy, error) {
	resolved, problems := f.checkPolicy()
	return resolved, host.JoinProblems(problems)
}

// MarshalJSON includes secrets, because Caddy loads the output of caddy adapt. It writes ${NAME} verbatim, without the
// value of the variable.
func (f jsonForm) MarshalJSON() ([]byte, error) { return f.written, nil }
