// Package respond responds to blocked requests. Each response mode has a small file, and one table lists them.
package respond

import (
	"context"
	"net/http"

	"github.com/request-guard/guard/policy"
)

// Blocked describes a blocked request.
type Blocked struct {
	Reason  string // reason code of the verdict
	Path    string // the candidate that matched, else the path; printable ASCII
	Client  string // address of the client, empty when it has none
	Rule    string // id of the rule that blocked; empty: a limit
	Pattern string // of that rule
	Target  string // of the client's request, raw
	// Excused are the rules that passes excused before Rule blocked.
	Excused []string
}

// Answer writes the whole response to one blocked request.
type Answer func(w http.ResponseWriter, r *http.Request, b *Blocked)

// Host is what depends on the proxy.
type Host struct {
	// Drop ends the request: an HTTP/1 connection closes, a stream of HTTP/2 or 3 is reset. It sends nothing more; a
	// response that has begun is aborted. It may panic.
	Drop func(w http.ResponseWriter, r *http.Request)
	// Stopping ends when the host stops or no longer has the policy. Held requests then end. nil: never.
	Stopping context.Context
	// Cut makes every further write to a client fail. It is called by another goroutine while the response is written,
	// and may be called again. nil: the host ends responses that take too long.
	Cut func(w http.ResponseWriter)
	// Report reports a fault that the operator can fix. Nothing in it came from a request. nil: it is not reported.
	Report func(message string)
}

// options are the inputs of a mode, once for each policy.
type options struct {
	response *policy.Response
	secret   []byte
	host     Host
	headers  map[string]string // by canonical name
}

// modes are the response modes, all of the contract. Each is made from options when the policy is loaded.
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

// New returns the responder of a resolved policy. The secret seeds values that differ between clients.
func New(response *policy.Response, secret []byte, host Host) Answer {
	return modes[response.Mode](newOptions(response, secret, host))
}

func newOptions(response *policy.Response, secret []byte, host Host) *options {
	return &options{response: response, secret: secret, host: host, headers: canonical(response.Headers)}
}

func canonical(headers map[string]string) map[string]string {
	named := make(map[string]string, len(headers))
	for name, value := range headers {
		named[http.CanonicalHeaderKey(name)] = value
	}
	return named
}
