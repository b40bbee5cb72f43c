// Package respond answers blocked requests: one small file for each response mode, behind one table.
package respond

import (
	"context"
	"fmt"
	"net/http"
	"sort"

	"github.com/request-guard/guard/policy"
)

// Blocked is what a mode is told about the request that it answers.
type Blocked struct {
	Reason string // reason code of the verdict
	Path   string // the candidate that matched, else the path; printable ASCII
	Client string // address of the client, empty when it has none
	Rule   string // id of the rule that blocked; empty: a limit
	Target string // of the client's request, raw
	// Excused are the rules that passes excused before Rule spoke.
	Excused []string
}

// Answer writes the whole answer to one blocked request.
type Answer func(w http.ResponseWriter, r *http.Request, b *Blocked)

// Host is what only the proxy around the guard can do.
type Host struct {
	// Drop ends the request: an HTTP/1 connection closes, a stream of HTTP/2 or 3 is reset. Where nothing was sent before,
	// nothing is sent; an answer that has begun ends in the middle. It may panic.
	Drop func(w http.ResponseWriter, r *http.Request)
	// Stopping ends when the host stops or no longer has the policy: requests that are held end then. nil: never.
	Stopping context.Context
	// Cut makes writing to a client fail from now on. It is called while the answer is being written, by another
	// goroutine, and may be called again. nil: the host ends what takes too long.
	Cut func(w http.ResponseWriter)
	// Report tells whoever runs the proxy of a fault that only they can mend. Nothing in it came from a request. nil: nobody.
	Report func(message string)
}

// options is what a mode is built from, once per policy.
type options struct {
	response *policy.Response
	secret   []byte
	host     Host
	headers  map[string]string // by canonical name
}

// modes that this build can answer with. A mode turns options into its answer when the policy is loaded.
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

// Modes names the response modes of this build, sorted.
func Modes() []string {
	names := make([]string, 0, len(modes))
	for name := range modes {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Available tells that this build can answer in a mode, or that it cannot.
func Available(mode string) error {
	if _, ok := modes[mode]; !ok {
		return fmt.Errorf("response mode %s is not available in this build", mode)
	}
	return nil
}

// New builds the answer of a resolved policy. The secret seeds what must differ from client to client.
func New(response *policy.Response, secret []byte, host Host) (Answer, error) {
	if err := Available(response.Mode); err != nil {
		return nil, err
	}
	return modes[response.Mode](newOptions(response, secret, host)), nil
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
