package respond

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/request-guard/guard/limits"
)

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
	if want := []string{"POST " + solved + " " + clientAddress}; !slices.Equal(g.provider.requests, want) {
		t.Errorf("the provider was asked %q, want %q", g.provider.requests, want)
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
		before := len(g.provider.requests)
		g.refused(c.name, g.post(form(c.state, c.token)), c.rule, c.target)
		if isAsked := len(g.provider.requests) > before; isAsked != c.isAsked {
			t.Errorf("%s: the provider was asked: %v", c.name, isAsked)
		}
	}
}

// A page without a rule redirects to / without a pass, so that it cannot loop.
func TestAPageForNoRule(t *testing.T) {
	g := newGate(t, "")
	page := g.post(form("", solved))
	back := g.post(form(g.state(page), solved))
	if back.Code != 303 || back.Header().Get("Location") != "/" || back.Header().Get("Set-Cookie") != "" {
		t.Errorf("got %d %v", back.Code, back.Header())
	}
}

type connection struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (c *connection) SetReadDeadline(until time.Time) error {
	c.deadlines = append(c.deadlines, until)
	return nil
}

// The deadline of the form must not apply to the verification: a server treats an expired one as a disconnected client.
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

// No challenge is sent when a pass would not help.
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
