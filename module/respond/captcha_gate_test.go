package respond

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// gate is a captcha with a local provider.
type gate struct {
	*Captcha
	t        *testing.T
	provider *provider
	reports  []string
}

func newGate(t *testing.T, keys string) *gate {
	t.Helper()
	return newGateWith(t, "", keys)
}

// newGateWith returns a gate. captchaKeys are keys of the captcha, keys are keys of the response.
func newGateWith(t *testing.T, captchaKeys, keys string) *gate {
	t.Helper()
	g := &gate{t: t, provider: startProvider(t)}
	captcha := map[string]any{"provider": "turnstile", "site_key": "k", "secret_key": providerKey, "verify_url": g.provider.URL}
	if err := json.Unmarshal([]byte("{"+captchaKeys+"}"), &captcha); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(captcha)
	if err != nil {
		t.Fatal(err)
	}
	response := resolved(t, fmt.Sprintf(`{"mode":"captcha","captcha":%s%s}`, written, keys))
	g.Captcha = NewCaptcha(response, []byte("a secret of the tests"), Host{Report: func(message string) { g.reports = append(g.reports, message) }})
	g.verifications = &budget{}
	return g
}

const blockPattern = "^/"

// stopped returns the response to a request that a rule blocked.
func (g *gate) stopped(target, rule string, excused ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	g.respondWithChallenge(w, httptest.NewRequest("GET", "/", nil), &Blocked{
		Client: clientAddress, Rule: rule, Pattern: blockPattern, Target: target, Excused: excused,
	})
	return w
}

var stateOf = regexp.MustCompile(`name="state" value="([^"]*)"`)

func (g *gate) state(page *httptest.ResponseRecorder) string {
	g.t.Helper()
	found := stateOf.FindStringSubmatch(page.Body.String())
	if found == nil {
		g.t.Fatalf("no page: %d %s", page.Code, page.Body)
	}
	return found[1]
}

func (g *gate) post(form url.Values) *httptest.ResponseRecorder {
	return g.serve(httptest.NewRequest("POST", captchaPath, strings.NewReader(form.Encode())))
}

func (g *gate) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	g.Serve(w, r, clientAddress)
	return w
}

func form(state, token string) url.Values {
	return url.Values{"state": {state}, "cf-turnstile-response": {token}}
}

// refused expects the page again, with an error message.
func (g *gate) refused(name string, w *httptest.ResponseRecorder, rule, target string) {
	g.t.Helper()
	if w.Code != 403 || w.Header().Get("Set-Cookie") != "" || !strings.Contains(w.Body.String(), `role="alert"`) {
		g.t.Errorf("%s: got %d %v", name, w.Code, w.Header())
		return
	}
	visitor := newVisit(clientAddress, "example.com")
	if asked, isFresh := g.signer.open(g.state(w), g.now().Unix(), visitor); !isFresh || asked != (challenge{ruleOf(rule, blockPattern), target}) {
		g.t.Errorf("%s: the page is for %+v", name, asked)
	}
}
