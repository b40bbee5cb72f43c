package respond

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

const (
	providerKey = "the secretKey of the tests"
	solved      = "a token of a solved challenge"
)

// provider is a local captcha provider. It accepts each of its tokens once.
type provider struct {
	*httptest.Server
	mu          sync.Mutex
	spentTokens map[string]bool
	requests    []string // received requests, without the secret
	// instead responds in place of the provider when it is set.
	instead http.HandlerFunc
}

func startProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{spentTokens: map[string]bool{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.instead != nil {
		p.instead(w, r)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	token := r.PostFormValue("response")
	p.requests = append(p.requests, r.Method+" "+token+" "+r.PostFormValue("remoteip"))
	switch {
	case r.PostFormValue("secret") != providerKey:
		_, _ = io.WriteString(w, `{"success":false,"error-codes":["invalid-input-secret"]}`)
	case !strings.HasPrefix(token, solved):
		_, _ = io.WriteString(w, `{"success":false,"error-codes":["invalid-input-response"]}`)
	case p.spentTokens[token]:
		_, _ = io.WriteString(w, `{"success":false,"error-codes":["timeout-or-duplicate"]}`)
	default:
		p.spentTokens[token] = true
		_, _ = fmt.Fprint(w, `{"success":true,"challenge_ts":"2026-01-01T00:00:00Z","hostname":"example.com","error-codes":[]}`)
	}
}

// text returns a handler that responds to every request with one text.
func text(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// hang never responds. It reads the body, because a server notices a disconnected client only after that.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// redirectToSuccess redirects to a successful response.
func redirectToSuccess(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/yes" {
		text(200, `{"success":true}`)(w, r)
		return
	}
	http.Redirect(w, r, "/yes", http.StatusTemporaryRedirect)
}
