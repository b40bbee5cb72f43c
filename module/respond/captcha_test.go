package respond

import (
	"context"
	"crypto/tls"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/request-guard/guard/limits"
)

// gate is a captcha in front of a local provider.
type gate struct {
	*Captcha
	t        *testing.T
	provider *provider
	reports  []string
}

func newGate(t *testing.T, keys string) *gate {
	t.Helper()
	g := &gate{t: t, provider: startProvider(t)}
	response := resolved(t, fmt.Sprintf(`{"mode":"captcha","captcha":{"provider":"turnstile","site_key":"k","secret_key":%q,"verify_url":%q}%s}`,
		providerKey, g.provider.URL, keys))
	g.Captcha = NewCaptcha(response, []byte("a secret of the tests"), Host{Report: func(message string) { g.reports = append(g.reports, message) }})
	return g
}

// blockPattern is the pattern of the rules that block.
const blockPattern = "^/"

// stopped is the response to a request that a rule blocked.
func (g *gate) stopped(target, rule string, excused ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	g.challenge(w, httptest.NewRequest("GET", "/", nil), &Blocked{
		Client: clientAddress, Rule: rule, Pattern: blockPattern, Target: target, Excused: excused,
	})
	return w
}

var stateOf = regexp.MustCompile(`name="state" value="([^"]*)"`)

// state returns the state in a page.
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

func TestASolvedChallengeLeadsBackWithAPass(t *testing.T) {
	g := newGate(t, "")
	page := g.stopped("//elsewhere.example/.env?a=1", "env-file")
	if page.Code != 403 || page.Header().Get("Cache-Control") != "no-store" || page.Header().Get("Referrer-Policy") != "same-origin" {
		t.Errorf("got %d %v", page.Code, page.Header())
	}
	back := g.post(form(g.state(page), solved))
	if back.Code != 303 || back.Header().Get("Location") != "/elsewhere.example/.env?a=1" || back.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("got %d %v", back.Code, back.Header())
	}
	cookie := back.Result().Cookies()[0]
	if !cookie.HttpOnly || cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.MaxAge != 3600 {
		t.Errorf("got %v", cookie)
	}
	next := httptest.NewRequest("GET", "/.env", nil)
	next.AddCookie(cookie)
	if !g.Excuses(next, clientAddress, "env-file", blockPattern) {
		t.Error("the pass does not excuse the rule that blocked")
	}
	for id, other := range map[string]string{"env-file": "^/another", "hidden-seg": blockPattern, "": blockPattern} {
		if g.Excuses(next, clientAddress, id, other) {
			t.Errorf("the pass excuses rule %q with pattern %q", id, other)
		}
	}
	if want := []string{"POST " + solved + " " + clientAddress}; !slices.Equal(g.provider.asked, want) {
		t.Errorf("the provider was asked %q, want %q", g.provider.asked, want)
	}
}

func TestThePassIsSecureOverTLS(t *testing.T) {
	g := newGate(t, "")
	r := httptest.NewRequest("POST", captchaPath, strings.NewReader(form(g.state(g.stopped("/.env", "env-file")), solved).Encode()))
	r.TLS = &tls.ConnectionState{}
	if cookie := g.serve(r).Header().Get("Set-Cookie"); !strings.HasSuffix(cookie, "; Secure") {
		t.Errorf("got %s", cookie)
	}
}

// refused checks that the response is the page again, with a refusal.
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

func TestWrongSolutionsLeadToThePageAgain(t *testing.T) {
	g := newGate(t, "")
	state := g.state(g.stopped("/.env", "env-file"))
	g.post(form(state, solved))
	blocked := challenge{ruleOf("env-file", blockPattern), "/.env"}
	foreign := g.signer.seal(g.now().Unix(), visit{"192.0.2.8", "example.com"}, blocked)
	expired := g.signer.seal(g.now().Unix()-limits.CaptchaStateSeconds, newVisit(clientAddress, "example.com"), blocked)
	for _, c := range []struct {
		name, state, token, rule, target string
		isAsked                          bool
	}{
		{"spent token", state, solved, "env-file", "/.env", true},
		{"foreign token", state, "x", "env-file", "/.env", true},
		{"no token", state, "", "env-file", "/.env", false},
		{"long token", state, solved + strings.Repeat("x", limits.CaptchaTokenBytes), "env-file", "/.env", false},
		{"state of another address", foreign, solved + "2", "", "/", false},
		{"forged state", state + "x", solved + "3", "", "/", false},
		{"no state", "", solved + "4", "", "/", false},
		{"expired state", expired, solved + "5", "env-file", "/.env", false},
		{"long form", state, solved + strings.Repeat("x", limits.CaptchaBodyBytes), "", "/", false},
	} {
		before := len(g.provider.asked)
		g.refused(c.name, g.post(form(c.state, c.token)), c.rule, c.target)
		if isAsked := len(g.provider.asked) > before; isAsked != c.isAsked {
			t.Errorf("%s: the provider was asked: %v", c.name, isAsked)
		}
	}
}

// A page without a rule leads to / without a pass, so that it cannot repeat.
func TestAPageForNoRule(t *testing.T) {
	g := newGate(t, "")
	page := g.post(form("", solved))
	back := g.post(form(g.state(page), solved))
	if back.Code != 303 || back.Header().Get("Location") != "/" || back.Header().Get("Set-Cookie") != "" {
		t.Errorf("got %d %v", back.Code, back.Header())
	}
}

func TestAProviderThatFailsGivesNoPass(t *testing.T) {
	for name, instead := range map[string]http.HandlerFunc{
		"status 500":            text(500, `{"success":true}`),
		"garbage":               text(200, `<html>`),
		"nothing":               text(200, ``),
		"success as text":       text(200, `{"success":"true"}`),
		"two documents":         text(200, `{"success":true}{"success":true}`),
		"huge":                  text(200, `{"success":true,"x":"`+strings.Repeat("x", limits.CaptchaAnswerBytes)+`"}`),
		"redirect":              elsewhere,
		"closed connection":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"the key is not its":    text(200, `{"success":false,"error-codes":["invalid-input-secret"]}`),
		"slower than the bound": hang,
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, "")
			g.provider.instead = instead
			if name == "slower than the bound" {
				g.check.client = &http.Client{Timeout: time.Millisecond}
			}
			state := g.state(g.stopped("/.env", "env-file"))
			g.refused("first", g.post(form(state, solved)), "env-file", "/.env")
			g.refused("second", g.post(form(state, solved)), "env-file", "/.env")
			if len(g.reports) != 1 || strings.Contains(g.reports[0], providerKey) {
				t.Errorf("reports: %q", g.reports)
			}
		})
	}
}

func TestAProviderThatIsDownIsReportedAgainAfterItAnswered(t *testing.T) {
	g := newGate(t, "")
	state := g.state(g.stopped("/.env", "env-file"))
	for _, instead := range []http.HandlerFunc{text(500, ""), nil, text(502, "")} {
		g.provider.instead = instead
		g.post(form(state, solved))
	}
	if len(g.reports) != 2 || !strings.Contains(g.reports[0], "500") || !strings.Contains(g.reports[1], "502") {
		t.Errorf("reports: %q", g.reports)
	}
}

// Checks the real bound, and that the request to the provider ends with the proxy and with the client.
func TestVerificationIsBounded(t *testing.T) {
	if providers.Timeout != limits.CaptchaVerifySeconds*time.Second {
		t.Errorf("got %v", providers.Timeout)
	}
	g := newGate(t, "")
	stopping, stop := context.WithCancel(context.Background())
	g.o.host.Stopping = stopping
	g.provider.instead = func(w http.ResponseWriter, r *http.Request) { stop(); hang(w, r) }
	g.check.client = &http.Client{} // has no timeout
	g.refused("the proxy stops", g.post(form(g.state(g.stopped("/.env", "env-file")), solved)), "env-file", "/.env")
}

func TestVerificationsAreHeld(t *testing.T) {
	g := newGate(t, `,"max_held":1`)
	state := g.state(g.stopped("/.env", "env-file"))
	arrived, proceed, first := make(chan bool), make(chan bool), make(chan int)
	g.provider.instead = func(w http.ResponseWriter, _ *http.Request) {
		arrived <- true
		<-proceed
		_, _ = w.Write([]byte(`{"success":true}`))
	}
	go func() { first <- g.post(form(state, solved)).Code }()
	<-arrived
	if Held()["captcha"] != 1 {
		t.Errorf("held: %v", Held())
	}
	if second := g.post(form(state, solved)); second.Code != 403 || second.Body.String() != "403 Forbidden\n" {
		t.Errorf("beyond the ceiling: %d %s", second.Code, second.Body)
	}
	close(proceed)
	if code := <-first; code != 303 || Held()["captcha"] != 0 {
		t.Errorf("got %d, held: %v", code, Held())
	}
}

// connection records the read deadline that is set.
type connection struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (c *connection) SetReadDeadline(until time.Time) error {
	c.deadlines = append(c.deadlines, until)
	return nil
}

// The deadline of the form must not apply to the provider: a server takes an expired one for a disconnected client.
func TestTheFormHasASeparateDeadline(t *testing.T) {
	g := newGate(t, "")
	for name, c := range map[string]struct {
		body      string
		isCleared bool
	}{"form": {form("x", solved).Encode(), true}, "long form": {strings.Repeat("x", limits.CaptchaBodyBytes+1), false}} {
		w := &connection{ResponseRecorder: httptest.NewRecorder()}
		g.Serve(w, httptest.NewRequest("POST", captchaPath, strings.NewReader(c.body)), clientAddress)
		if len(w.deadlines) == 0 || w.deadlines[0].IsZero() || w.deadlines[len(w.deadlines)-1].IsZero() != c.isCleared {
			t.Errorf("%s: %v", name, w.deadlines)
		}
	}
}

func TestOtherMethodsThanPostAreRefused(t *testing.T) {
	g := newGate(t, "")
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post"} {
		w := g.serve(httptest.NewRequest(method, captchaPath, nil))
		if w.Code != 405 || w.Header().Get("Allow") != "POST" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d %v", method, w.Code, w.Header())
		}
	}
}

func TestThePathIsComparedExactly(t *testing.T) {
	g := newGate(t, "")
	for target, want := range map[string]bool{
		"/.guard/captcha": true, "/.guard/captcha?": true, "/.guard/captcha?a=b": true, "/.guard/captcha/": false, "/.guard/captcha2": false,
		"/.guard/%63aptcha": false, "//.guard/captcha": false, "/.GUARD/captcha": false, "http://example.com/.guard/captcha": false, "/.guard": false, "": false,
	} {
		if got := g.Serves(target); got != want {
			t.Errorf("%s: got %v", target, got)
		}
	}
}

// Where a pass would not help, no challenge is sent.
func TestNoChallengeWithoutAWayThrough(t *testing.T) {
	g := newGate(t, "")
	eight := make([]string, limits.CaptchaRules)
	for name, w := range map[string]*httptest.ResponseRecorder{"limit": g.stopped("/", ""), "ninth rule": g.stopped("/.env", "env-file", eight...)} {
		if w.Code != 403 || w.Body.String() != "403 Forbidden\n" || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: got %d %v %s", name, w.Code, w.Header(), w.Body)
		}
	}
	if w := g.stopped("/.env", "env-file", eight[1:]...); !strings.Contains(w.Body.String(), "<form") {
		t.Errorf("eighth rule: got %d %s", w.Code, w.Body)
	}
}

func TestOnlyAVerifyingCaptchaServesAnything(t *testing.T) {
	if NewCaptcha(resolved(t, `{"mode":"captcha","captcha":{"provider":"hcaptcha","site_key":"k"}}`), nil, Host{}) != nil {
		t.Error("a captcha without secretKey")
	}
	if NewCaptcha(resolved(t, `{"captcha":{"provider":"hcaptcha","site_key":"k","secret_key":"s"}}`), nil, Host{}) != nil {
		t.Error("mode text")
	}
}

var scripting = regexp.MustCompile(`(?i)<script>|\son\w+=|javascript:|<style|\sstyle=`)

func TestPagesOfEveryProvider(t *testing.T) {
	title, key := `<b>"One" & [[state]]'s</b>`, `"><i>`
	for name, provider := range captchaProviders {
		for _, secret := range []string{"", `,"secret_key":"s"`} {
			answer := build(t, fmt.Sprintf(`{"mode":"captcha","captcha":{"provider":%q,"site_key":%q,"title":%q%s}}`, name, key, title, secret))
			w := httptest.NewRecorder()
			answer(w, httptest.NewRequest("GET", "/.env", nil), &Blocked{Rule: "env-file", Target: "/.env", Client: clientAddress})
			page := w.Body.String()
			for _, want := range []string{
				"<h1>" + html.EscapeString(title) + "</h1>", `class="` + provider.widgetClass + `" data-sitekey="` + html.EscapeString(key) + `"`,
				`<script src="` + provider.scriptURL + `" async defer></script>`, "<noscript>",
			} {
				if !strings.Contains(page, want) {
					t.Errorf("%s%s: %s is missing in\n%s", name, secret, want, page)
				}
			}
			if scripting.MatchString(page) || strings.Contains(page, "[[site_key]]") || strings.Contains(page, "<form") != (secret != "") {
				t.Errorf("%s%s: got\n%s", name, secret, page)
			}
			if got := w.Header().Get("Content-Security-Policy"); got != provider.contentSecurityPolicy || !strings.HasPrefix(got, "default-src 'none'; script-src https://") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}
