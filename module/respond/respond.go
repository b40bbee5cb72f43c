// Package respond responds to blocked requests. The table modes has the function that makes the responder of each mode.
package respond

import (
	"context"
	"net/http"

	"github.com/request-guard/guard/policy"
)

type Blocked struct {
	Reason  string // reason code of the verdict
	Path    string // the candidate that matched, in printable ASCII, or the path as sent
	Client  string // address of the client, empty when it has none
	Rule    string // id of the rule that blocked; empty for a limit
	Pattern string // pattern of that rule
	Target  string // raw target of the client's request
	// Excused lists the rules that passes excused before Rule blocked.
	Excused []string
	// Reference is the id of the request's event; empty: there is no event line with an id.
	Reference string
}

// Answer writes the whole response to one blocked request.
type Answer func(w http.ResponseWriter, r *http.Request, b *Blocked)

type Host struct {
	// Drop ends the request and aborts a response that has begun. It sends nothing more, except that Traefik sends a 403 where it
	// cannot end the connection. It may panic.
	Drop func(w http.ResponseWriter, r *http.Request)
	// Stopping ends when the host stops or no longer has the policy. Held requests then end. nil: never.
	Stopping context.Context
	// Cut makes further writes to a client fail, also from another goroutine. nil: the host ends responses that take too long.
	Cut func(w http.ResponseWriter)
	// Report reports a fault that the operator can fix, without values of a request. nil: faults are not reported.
	Report func(message string)
}

// options are the inputs of a mode. They are created with the guard of a policy, and not for each request.
type options struct {
	response       *policy.Response
	secret         []byte
	host           Host
	headers        map[string]string // the keys are canonical names
	showsReference bool
}

var modes = map[string]func(o *options) Answer{
	"json":            jsonMode,
	"html":            htmlMode,
	"text":            textMode,
	"xml":             xmlMode,
	"redirect":        redirectMode,
	"ratelimit":       ratelimitMode,
	"silent_drop":     silentDropMode,
	"fake_success":    fakeSuccessMode,
	"captcha":         captchaMode,
	"gzip_bomb":       gzipBombMode,
	"tarpit":          tarpitMode,
	"infinite_stream": infiniteStreamMode,
	"proxy":           proxyMode,
}

// New returns the responder of a resolved policy. The secret is the key of decoy values and of captcha signatures.
func New(response *policy.Response, secret []byte, host Host) Answer {
	return modes[response.Mode](newOptions(response, secret, host))
}

func newOptions(response *policy.Response, secret []byte, host Host) *options {
	mode, _ := policy.ModeOf(response.Mode)
	return &options{
		response: response, secret: secret, host: host, headers: canonicalHeaders(response.Headers), showsReference: mode.ShowsReference,
	}
}

func canonicalHeaders(headers map[string]string) map[string]string {
	named := make(map[string]string, len(headers))
	for name, value := range headers {
		named[http.CanonicalHeaderKey(name)] = value
	}
	return named
}
